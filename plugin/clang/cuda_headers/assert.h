// What <assert.h> declares is always there.
#pragma once
