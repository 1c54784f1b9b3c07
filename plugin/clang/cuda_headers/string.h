// What <string.h> declares is always there.
#pragma once
