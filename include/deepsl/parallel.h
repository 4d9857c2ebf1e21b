// Independent pieces of work on several threads. The pieces are cut by the caller, never by the
// number of threads, so that results do not depend on it.
#pragma once

#include <cstddef>
#include <functional>

namespace deepsl {

/// How many threads for_each may use, the calling one included; for all callers. At least 1, and 1
/// until it is set.
void set_threads(int count);
int threads();

/// The cores this process may run on, which may be fewer than the machine has.
int available_threads();

/// Calls work(i) for i = 0..count-1, each once, on any of the threads; returns when all are done.
/// A thread takes the next piece when it has finished one, so a core that is busy elsewhere delays
/// nobody. Inside a piece, further calls run on its own thread; a single piece is no split, so that
/// calls inside it may use all threads. If pieces throw, no further ones are begun, and the
/// exception of the first of them, by number, is thrown here.
void for_each(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace deepsl
