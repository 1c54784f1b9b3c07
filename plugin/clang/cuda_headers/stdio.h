// What <stdio.h> declares is always there.
#pragma once
