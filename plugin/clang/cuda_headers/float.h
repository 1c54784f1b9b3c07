// What <float.h> declares is always there.
#pragma once
