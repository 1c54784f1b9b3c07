// What <cuda_runtime_api.h> declares is always there.
#pragma once
