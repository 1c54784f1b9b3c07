// What <stddef.h> declares is always there.
#pragma once
