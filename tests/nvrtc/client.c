/* A program that compiles CUDA with NVRTC, and prints everything that it hears from it.
 *
 *   client [-t THREADS] [-s] [-x] [-H NAME=FILE]... [-n EXPRESSION]... FILE.cu [OPTION...]
 *
 * -t: as many threads do the same at once; what they get has to be the same, and is printed once. -s: with SIGCHLD
 * ignored, as servers do. -x: compiles twice, the first time without options. -H, -n: headers, name expressions.
 * It leaves with 1 if the library changed how a signal is handled. */

#include <nvrtc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 64 };

static const char *source, *name;
static const char *headers[most], *include_names[most], *expressions[most];
static int header_count, expression_count, option_count, twice;
static const char* const* options;

static char* read_file(const char* path) {
    FILE* file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char* text = calloc((size_t)size + 1, 1);
    if (fread(text, 1, (size_t)size, file) != (size_t)size)
        exit(2);
    fclose(file);
    return text;
}

static void say(FILE* out, const char* what, nvrtcResult result) {
    fprintf(out, "%s: %s\n", what, nvrtcGetErrorString(result));
}

typedef nvrtcResult (*get_size)(nvrtcProgram, size_t*);
typedef nvrtcResult (*get_bytes)(nvrtcProgram, char*);

static void print_blob(FILE* out, const char* what, nvrtcProgram program, get_size size_of, get_bytes bytes_of) {
    size_t size = 0;
    say(out, what, size_of(program, &size));
    char* bytes = calloc(size + 1, 1);
    say(out, what, bytes_of(program, bytes));
    fprintf(out, "%zu bytes\n", size);
    fwrite(bytes, 1, size, out);
    fputc('\n', out);
    free(bytes);
}

static int never_cancel(void* payload, void* reserved) {
    (void)reserved;
    ++*(int*)payload;
    return 0;
}

static void print_results(FILE* out, nvrtcProgram program) {
    print_blob(out, "log", program, nvrtcGetProgramLogSize, nvrtcGetProgramLog);
    print_blob(out, "PTX", program, nvrtcGetPTXSize, nvrtcGetPTX);
    print_blob(out, "CUBIN", program, nvrtcGetCUBINSize, nvrtcGetCUBIN);
    print_blob(out, "LTOIR", program, nvrtcGetLTOIRSize, nvrtcGetLTOIR);
    print_blob(out, "OptiX IR", program, nvrtcGetOptiXIRSize, nvrtcGetOptiXIR);
    for (int i = 0; i < expression_count; ++i) {
        const char* lowered = NULL;
        say(out, expressions[i], nvrtcGetLoweredName(program, expressions[i], &lowered));
        fprintf(out, "%s\n", lowered ? lowered : "(none)");
    }
    say(out, "late name", nvrtcAddNameExpression(program, "late"));
    say(out, "PCH", nvrtcGetPCHCreateStatus(program));
    size_t size = 0;
    say(out, "PCH heap", nvrtcGetPCHHeapSizeRequired(program, &size));
}

struct result {
    char* text;
    size_t size;
};

static void* compile(void* result) {
    FILE* out = open_memstream(&((struct result*)result)->text, &((struct result*)result)->size);
    nvrtcProgram program = NULL;
    say(out, "create", nvrtcCreateProgram(&program, source, name, header_count, header_count ? headers : NULL,
                                          header_count ? include_names : NULL));
    const char* lowered = NULL;
    say(out, "early lowered name", nvrtcGetLoweredName(program, "early", &lowered));
    size_t size = 0;
    say(out, "early PTX", nvrtcGetPTXSize(program, &size));
    for (int i = 0; i < expression_count; ++i)
        say(out, "name", nvrtcAddNameExpression(program, expressions[i]));
    int calls = 0;
    say(out, "callback", nvrtcSetFlowCallback(program, never_cancel, &calls));
    if (twice)
        say(out, "first compile", nvrtcCompileProgram(program, 0, NULL));
    say(out, "compile", nvrtcCompileProgram(program, option_count, options));
    fprintf(out, "the callback was %scalled\n", calls > 0 ? "" : "not ");
    print_results(out, program);
    say(out, "destroy", nvrtcDestroyProgram(&program));
    fprintf(out, "the handle is %s\n", program ? "left" : "cleared");
    fclose(out);
    return NULL;
}

static void print_environment(void) {
    int major = 0, minor = 0, count = 0;
    say(stdout, "version", nvrtcVersion(&major, &minor));
    say(stdout, "architectures", nvrtcGetNumSupportedArchs(&count));
    printf("%d.%d, %d architectures:", major, minor, count);
    int* numbers = calloc((size_t)count + 1, sizeof *numbers);
    nvrtcGetSupportedArchs(numbers);
    for (int i = 0; i < count; ++i)
        printf(" %d", numbers[i]);
    free(numbers);
    size_t size = 0;
    nvrtcProgram none = NULL;
    say(stdout, "\nheap", nvrtcGetPCHHeapSize(&size));
    printf("%zu\n", size);
    say(stdout, "no source", nvrtcCreateProgram(&none, NULL, "none", 0, NULL, NULL));
    say(stdout, "no program", nvrtcCompileProgram(NULL, 0, NULL));
    say(stdout, "no program", nvrtcGetPTXSize(NULL, &size));
    say(stdout, "no program", nvrtcDestroyProgram(&none));
    say(stdout, "no such result", (nvrtcResult)12345);
}

static void signal_handlers(struct sigaction* actions) {
    for (int i = 1; i < 32; ++i)
        sigaction(i, NULL, &actions[i]);
}

int main(int argc, char** argv) {
    int threads = 1, i = 1;
    for (; i < argc && argv[i][0] == '-'; ++i) {
        if (!strcmp(argv[i], "-s")) {
            signal(SIGCHLD, SIG_IGN);
        } else if (!strcmp(argv[i], "-x")) {
            twice = 1;
        } else if (!strcmp(argv[i], "-t") && i + 1 < argc) {
            threads = atoi(argv[++i]);
        } else if (!strcmp(argv[i], "-n") && i + 1 < argc) {
            expressions[expression_count++] = argv[++i];
        } else if (!strcmp(argv[i], "-H") && i + 1 < argc) {
            char* file = strchr(argv[++i], '=');
            *file++ = '\0';
            include_names[header_count] = argv[i];
            headers[header_count++] = read_file(file);
        } else {
            return 2;
        }
    }
    if (i == argc || threads < 1 || threads > most)
        return 2;
    name = argv[i];
    source = read_file(argv[i++]);
    option_count = argc - i;
    options = (const char* const*)&argv[i];

    struct sigaction before[32], after[32];
    signal_handlers(before);
    print_environment();
    pthread_t handles[most];
    struct result results[most] = {{0}};
    for (int t = 0; t < threads; ++t)
        pthread_create(&handles[t], NULL, compile, &results[t]);
    for (int t = 0; t < threads; ++t)
        pthread_join(handles[t], NULL);
    signal_handlers(after);
    for (int s = 1; s < 32; ++s)
        if (before[s].sa_handler != after[s].sa_handler) {
            printf("signal %d is handled in another way\n", s);
            return 1;
        }
    for (int t = 1; t < threads; ++t)
        if (results[0].size != results[t].size || memcmp(results[0].text, results[t].text, results[0].size) != 0) {
            printf("thread %d got something else:\n%s", t, results[t].text);
            return 1;
        }
    fwrite(results[0].text, 1, results[0].size, stdout);
    return 0;
}
