// What <math.h> declares is always there.
#pragma once
