# SPDX-License-Identifier: BSD-2-Clause
"""A time line of activities, and a network of messages as activities: the base of model.py's modules."""

import heapq


class Late:
    """Yielded: after all other activities of this cycle in modules nearer to the processors."""

    def __init__(self, module):
        self.level = module.level


class Clock:
    """Activities by cycle; in the order of planning within one cycle."""

    def __init__(self):
        self.now = 0
        self.planned = []
        self.order = 0

    def start(self, activity, delay=0, late=0):
        heapq.heappush(self.planned, (self.now + delay, late, self.order, activity))
        self.order += 1

    def run(self):
        while self.planned:
            self.now, _, _, activity = heapq.heappop(self.planned)
            try:
                wish = next(activity)
            except StopIteration:
                continue
            if isinstance(wish, Join):
                wish.waiting.append(activity)
                if not wish.missing:
                    wish.wake(self)
            elif isinstance(wish, Late):
                self.start(activity, late=wish.level)
            else:
                self.start(activity, wish)


class Join:
    """Holds the waiting activities until `missing` is down to 0."""

    def __init__(self, missing):
        self.missing = missing
        self.waiting = []

    def came(self, clock):
        self.missing -= 1
        if not self.missing:
            self.wake(clock)

    def wake(self, clock):
        waiting, self.waiting = self.waiting, []
        for activity in waiting:
            clock.start(activity)


class Message:
    def __init__(self, receiver):
        self.receiver = receiver
        self.began = None  # cycle in which it began to cross the sender's link


class Star:
    """A switch, a link each way to every module (4): each link, and the switch per receiver, one message at a time.

    A message enters its sender's buffer in one cycle, one message a cycle; crosses the link; waits at the switch
    behind those of the same sender, and takes its turn among senders for the receiver's buffer; crosses the
    receiver's link. Each of the three takes size / bandwidth cycles, rounded up.

    The text leaves open how the switch takes turns. Inferred from the one recorded access that it matters to
    (seq.g7_large.ld_st_nc.0, number 72), and contradicted by none:
    - round robin in the order of the modules, from the sender after the one that was chosen last for this receiver,
      be it by an earlier access;
    - a message takes part from the cycle after the one in which it began to cross its sender's link. If it is chosen
      and has not come yet, nothing passes in this cycle;
    - it is chosen anew in each cycle in which a message is there and the way to the receiver is free.
    Buffers never fill up: the messages of one access are few.
    """

    def __init__(self, clock, bandwidth, modules):
        self.clock = clock
        self.bandwidth = bandwidth
        self.modules = modules
        self.entered = {m: -1 for m in modules}   # cycle in which a message last entered the buffer
        self.leaving = {m: [] for m in modules}   # in the sender's buffer
        self.arrived = {m: [] for m in modules}   # on the way to the switch or there, from this sender
        self.going = {m: [] for m in modules}     # behind the switch, to this receiver
        self.link_out = {m: 0 for m in modules}   # first cycle in which it is free
        self.switch = {m: 0 for m in modules}
        self.link_in = {m: 0 for m in modules}
        self.turn = {m: 0 for m in modules}       # sender that was last let through to this receiver
        self.decided = {m: (-1, None) for m in modules}  # in this cycle: this sender
        self.fans = 0  # modules that wait for answers after requests to several others at once

    def choose(self, receiver):
        now = self.clock.now
        if self.decided[receiver][0] != now:
            chosen = None
            for i in range(len(self.modules)):
                place = (self.turn[receiver] + 1 + i) % len(self.modules)
                sender = self.modules[place]
                queue = self.arrived[sender]
                if queue and queue[0].began < now and queue[0].receiver is receiver:
                    self.turn[receiver] = place
                    chosen = sender
                    break
            self.decided[receiver] = (now, chosen)
        return self.decided[receiver][1]

    def send(self, sender, receiver, size):
        clock = self.clock
        cycles = -(-size // self.bandwidth)
        while self.entered[sender] >= clock.now:
            yield 1
        self.entered[sender] = clock.now
        message = Message(receiver)
        self.leaving[sender].append(message)
        yield 1
        while self.leaving[sender][0] is not message or self.link_out[sender] > clock.now:
            yield 1
        self.leaving[sender].pop(0)
        self.link_out[sender] = clock.now + cycles
        message.began = clock.now
        self.arrived[sender].append(message)
        yield cycles
        while (self.arrived[sender][0] is not message or self.switch[receiver] > clock.now
               or self.choose(receiver) is not sender):
            yield 1
        self.arrived[sender].pop(0)
        self.switch[receiver] = clock.now + cycles
        self.going[receiver].append(message)
        yield cycles
        while self.going[receiver][0] is not message or self.link_in[receiver] > clock.now:
            yield 1
        self.going[receiver].pop(0)
        self.link_in[receiver] = clock.now + cycles
        yield cycles
