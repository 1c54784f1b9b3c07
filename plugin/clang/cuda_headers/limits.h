// What <limits.h> declares is always there.
#pragma once
