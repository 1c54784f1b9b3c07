#include "plugin/verify/cuda_device.h"

#include <algorithm>
#include <dlfcn.h>
#include <type_traits>

namespace slimgrad::verify {
namespace {

// Of cuda.h, whose binary interface is stable: a function that changed got a new name ("_v2").
using Status = int;
constexpr Status success = 0;
constexpr int capability_major = 75,
              capability_minor = 76;              // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*
constexpr int error_log = 5, error_log_bytes = 6; // CU_JIT_ERROR_LOG_BUFFER*
using Handle = void*;                             // CUcontext, CUmodule, CUfunction, CUstream
using Address = unsigned long long;

} // namespace

struct CudaDevice::Driver {
    Status (*init)(unsigned int);
    Status (*device_get)(int*, int);
    Status (*device_name)(char*, int, int);
    Status (*device_attribute)(int*, int, int);
    Status (*primary_context)(Handle*, int);
    Status (*set_context)(Handle);
    Status (*load_module)(Handle*, const void*, unsigned int, int*, void**);
    Status (*module_function)(Handle*, Handle, const char*);
    Status (*module_global)(Address*, std::size_t*, Handle, const char*);
    Status (*allocate)(Address*, std::size_t);
    Status (*copy_to_device)(Address, const void*, std::size_t);
    Status (*copy_to_host)(void*, Address, std::size_t);
    Status (*launch)(Handle, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
                     unsigned int, unsigned int, Handle, void**, void**);
    Status (*synchronize)();
    Status (*error_string)(Status, const char**);
    /// From CUDA 12.4 on, else null.
    Status (*parameter_info)(Handle, std::size_t, std::size_t*, std::size_t*);

    /// The driver's words for a call that failed.
    std::string words(Status status) const {
        const char* text = nullptr;
        if (error_string(status, &text) == success && text)
            return text;
        return "the driver's error " + std::to_string(status);
    }
    Result<void> checked(Status status) const {
        return status == success ? Result<void>{} : fail(words(status));
    }
};

Result<CudaDevice> CudaDevice::open() {
    const std::string none = "no CUDA device: ";
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return fail(none + "libcuda.so.1 cannot be loaded");
    static Driver driver;
    std::string missing;
    const auto find = [&](auto& function, const char* symbol, bool needed = true) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
        if (!function && needed)
            missing = symbol;
    };
    find(driver.init, "cuInit");
    find(driver.device_get, "cuDeviceGet");
    find(driver.device_name, "cuDeviceGetName");
    find(driver.device_attribute, "cuDeviceGetAttribute");
    find(driver.primary_context, "cuDevicePrimaryCtxRetain");
    find(driver.set_context, "cuCtxSetCurrent");
    find(driver.load_module, "cuModuleLoadDataEx");
    find(driver.module_function, "cuModuleGetFunction");
    find(driver.module_global, "cuModuleGetGlobal_v2");
    find(driver.allocate, "cuMemAlloc_v2");
    find(driver.copy_to_device, "cuMemcpyHtoD_v2");
    find(driver.copy_to_host, "cuMemcpyDtoH_v2");
    find(driver.launch, "cuLaunchKernel");
    find(driver.synchronize, "cuCtxSynchronize");
    find(driver.error_string, "cuGetErrorString");
    find(driver.parameter_info, "cuFuncGetParamInfo", false);
    if (!missing.empty())
        return fail(none + "libcuda.so.1 has no function " + missing);

    CudaDevice device;
    device.driver_ = &driver;
    int ordinal = 0, major = 0, minor = 0;
    char name[256] = "";
    Handle context = nullptr;
    Status status = driver.init(0);
    const auto then = [&status](auto call) {
        if (status == success)
            status = call();
    };
    then([&] { return driver.device_get(&ordinal, 0); });
    then([&] { return driver.device_name(name, sizeof name - 1, ordinal); });
    then([&] { return driver.device_attribute(&major, capability_major, ordinal); });
    then([&] { return driver.device_attribute(&minor, capability_minor, ordinal); });
    then([&] { return driver.primary_context(&context, ordinal); });
    then([&] { return driver.set_context(context); });
    if (status != success)
        return fail(none + driver.words(status));
    device.name_ = name;
    device.capability_ = static_cast<std::uint32_t>(major * 10 + minor);
    return device;
}

Result<void> CudaDevice::load(const std::string& code) {
    char log[2048] = "";
    int options[] = {error_log, error_log_bytes};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log - 1)};
    const Status status = driver_->load_module(&module_, code.c_str(), 2, options, values);
    if (status == success)
        return {};
    std::string first_line = log;
    first_line.resize(std::min(first_line.size(), first_line.find('\n')));
    return fail("the driver does not load the kernel's PTX: " + driver_->words(status) +
                (first_line.empty() ? "" : ": " + first_line));
}

std::optional<CudaDevice::Memory> CudaDevice::variable(const std::string& symbol) const {
    Address address = 0;
    std::size_t bytes = 0;
    if (driver_->module_global(&address, &bytes, module_, symbol.c_str()) != success)
        return std::nullopt;
    return Memory{address, bytes};
}

Result<CudaDevice::Memory> CudaDevice::allocate(std::uint64_t bytes) const {
    Address address = 0;
    if (const Status status = driver_->allocate(&address, bytes); status != success)
        return fail(std::to_string(bytes) + " bytes of device memory: " + driver_->words(status));
    return Memory{address, bytes};
}

Result<void> CudaDevice::upload(const Memory& to, const void* from) const {
    return driver_->checked(driver_->copy_to_device(to.address, from, to.bytes));
}

Result<void> CudaDevice::download(void* to, const Memory& from) const {
    return driver_->checked(driver_->copy_to_host(to, from.address, from.bytes));
}

std::string CudaDevice::problem(const Launch& launch) const {
    Handle function = nullptr;
    if (driver_->module_function(&function, module_, launch.symbol.c_str()) != success)
        return "the kernel has no entry point '" + launch.symbol + "'";
    if (!driver_->parameter_info)
        return "";
    const std::string differs =
        "the parameters of " + launch.symbol + " are not laid out as reflection says";
    std::size_t offset = 0, bytes = 0;
    for (std::size_t i = 0; i < launch.offsets.size(); ++i)
        if (driver_->parameter_info(function, i, &offset, &bytes) != success ||
            offset != launch.offsets[i] || offset + bytes > launch.parameter_bytes)
            return differs;
    const bool more =
        driver_->parameter_info(function, launch.offsets.size(), &offset, &bytes) == success;
    return more ? differs : "";
}

Result<void> CudaDevice::run(const Launch& launch) const {
    Handle function = nullptr;
    std::vector<void*> parameters;
    for (const std::uint64_t offset : launch.offsets) // it only reads them
        parameters.push_back(const_cast<unsigned char*>(launch.parameters) + offset);
    Status status = driver_->module_function(&function, module_, launch.symbol.c_str());
    if (status == success)
        status = driver_->launch(function, launch.blocks[0], launch.blocks[1], launch.blocks[2],
                                 launch.threads[0], launch.threads[1], launch.threads[2], 0,
                                 nullptr, parameters.data(), nullptr);
    if (status == success)
        status = driver_->synchronize();
    return driver_->checked(status);
}

} // namespace slimgrad::verify
