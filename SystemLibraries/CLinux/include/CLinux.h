// What Swift cannot call directly on Linux: variadic functions, raw system calls, function-like macros.
#pragma once
