#pragma once

#include <memory>
#include <slang.h>

namespace slimgrad::slang_plugin {

struct SlangRelease {
    void operator()(ISlangUnknown* object) const { object->release(); }
};

/// One reference to an object of the Slang API, given back when this goes.
template <class T> using SlangPtr = std::unique_ptr<T, SlangRelease>;

/// Calls `get(T**)` and takes over the reference it hands out; nullptr where it hands out none.
template <class T, class Get> SlangPtr<T> take(Get&& get) {
    T* object = nullptr;
    get(&object);
    return SlangPtr<T>(object);
}

} // namespace slimgrad::slang_plugin
