/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_GPUCACHE_HPP
#define GPUCACHE_GPUCACHE_HPP

/*
 * libgpucache for C++20: objects that destroy themselves, and failures as exceptions. Use the C API for everything
 * else: an object converts to its C pointer, and every C function takes the object:
 *
 *     gpucache::Context context(nullptr);
 *     gpucache::Config config(context);
 *     gpucache::call(gpc_config_load_preset, config, "h100");
 *     gpucache::Hierarchy memory(context, config);
 *     gpucache::call(gpc_hierarchy_access, memory, &access, nullptr);
 *     auto later = gpucache::make<gpucache::Hierarchy>(gpc_hierarchy_copy, memory);
 *
 * An object has the arguments of its C function, without `out` and `error`. For lifetimes and the thread rule see
 * gpucache.h. The library throws nothing, and no exception may leave a callback. Since: 0.2.
 */

#include <gpucache/ext/coherence.h>
#include <gpucache/ext/observe.h>
#include <gpucache/ext/parts.h>
#include <gpucache/ext/replay.h>
#include <gpucache/ext/scheduler.h>
#include <gpucache/gpucache.h>
#ifdef GPC_EXPERIMENTAL
#include <gpucache/experimental/experimental.h>
#endif

#include <concepts>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace gpucache {

/* Failure of a call: its status, and a sentence. */
class Error : public std::runtime_error {
  public:
    Error(gpc_status status, const std::string &sentence) : std::runtime_error(sentence), status_(status) {}
    gpc_status status() const noexcept { return status_; }

  private:
    gpc_status status_;
};

/* Return a status that is no failure: GPC_OK, GPC_END, GPC_BUSY. Throws Error for a failure. */
inline gpc_status checked(gpc_status status, const gpc_error *error = nullptr) {
    if (status < 0)
        throw Error(status, error && error->message[0] ? error->message : gpc_status_string(status));
    return status;
}

/* Call a function whose last parameter is a gpc_error *, and check the status. */
template <typename Function, typename... Arguments>
    requires std::invocable<Function, Arguments..., gpc_error *>
gpc_status call(Function function, Arguments &&...arguments) {
    gpc_error error = GPC_ERROR_INIT;
    return checked(function(std::forward<Arguments>(arguments)..., &error), &error);
}

/*
 * Owner of an object of the C API; destroys the object at its own end. Move only. A Handle is empty after a move, and
 * if made without arguments.
 */
template <typename T, auto Create, auto Destroy> class Handle {
  public:
    using Object = T;

    Handle() noexcept = default;
    template <typename... Arguments>
        requires std::invocable<decltype(Create), Arguments..., T **, gpc_error *>
    explicit Handle(Arguments &&...arguments) {
        gpc_error error = GPC_ERROR_INIT;
        T *made = nullptr;
        checked(Create(std::forward<Arguments>(arguments)..., &made, &error), &error);
        object_.reset(made);
    }
    /* Take over an object of the caller. */
    static Handle take(T *object) noexcept {
        Handle handle;
        handle.object_.reset(object);
        return handle;
    }

    T *get() const noexcept { return object_.get(); }
    operator T *() const noexcept { return object_.get(); }
    /* Give the object to the caller, who must destroy the object. */
    T *release() noexcept { return object_.release(); }
    void reset() noexcept { object_.reset(); }

  private:
    struct Deleter {
        void operator()(T *object) const noexcept { Destroy(object); }
    };
    std::unique_ptr<T, Deleter> object_;
};

/*
 * Make an object by a function other than its default. The function's last parameters are the address of the object's
 * pointer and a gpc_error *.
 */
template <typename Made, typename Function, typename... Arguments>
    requires std::invocable<Function, Arguments..., typename Made::Object **, gpc_error *>
Made make(Function function, Arguments &&...arguments) {
    gpc_error error = GPC_ERROR_INIT;
    typename Made::Object *object = nullptr;
    checked(function(std::forward<Arguments>(arguments)..., &object, &error), &error);
    return Made::take(object);
}

using Context = Handle<gpc_context, gpc_context_create, gpc_context_destroy>;
using Config = Handle<gpc_config, gpc_config_create, gpc_config_destroy>;
using Cache = Handle<gpc_cache, gpc_cache_create, gpc_cache_destroy>;
using Hierarchy = Handle<gpc_hierarchy, gpc_hierarchy_create, gpc_hierarchy_destroy>;
using Replacement = Handle<gpc_replacement, gpc_replacement_create, gpc_replacement_destroy>;
using Predictor = Handle<gpc_predictor, gpc_predictor_create, gpc_predictor_destroy>;
using Throttle = Handle<gpc_throttle, gpc_throttle_create, gpc_throttle_destroy>;
using Scheduler = Handle<gpc_scheduler, gpc_scheduler_create, gpc_scheduler_destroy>;
using Dram = Handle<gpc_dram, gpc_dram_create, gpc_dram_destroy>;
using Coherence = Handle<gpc_coherence, gpc_coherence_create, gpc_coherence_destroy>;
#ifdef GPC_EXPERIMENTAL
using Verify = Handle<gpc_verify, gpc_verify_run, gpc_verify_destroy>;
#endif
using Trace = Handle<gpc_trace, gpc_trace_open, gpc_trace_close>;
using TraceWriter = Handle<gpc_trace_writer, gpc_trace_writer_create, gpc_trace_writer_destroy>;
using Replay = Handle<gpc_replay, gpc_replay_create, gpc_replay_destroy>;
using Profile = Handle<gpc_profile, gpc_profile_create, gpc_profile_destroy>;

} // namespace gpucache

#endif
