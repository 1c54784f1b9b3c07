// What <stdlib.h> declares is always there.
#pragma once
