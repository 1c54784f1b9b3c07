// What <device_launch_parameters.h> declares is always there.
#pragma once
