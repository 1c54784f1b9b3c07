// What <stdint.h> declares is always there.
#pragma once
