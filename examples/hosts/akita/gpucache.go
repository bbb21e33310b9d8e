// SPDX-License-Identifier: BSD-2-Clause

// Package gpucache is L1 vector caches and all below by libgpucache, as a component of Akita: in MGPUSim, in place of
// the L1 vector caches, L2 and DRAM of a GPU.
package gpucache

/*
#cgo pkg-config: gpucache
#include "gpucache_host.h"
*/
import "C"

import (
	"fmt"
	"log"
	"strings"
	"unsafe"

	"github.com/sarchlab/akita/v4/mem/cache"
	"github.com/sarchlab/akita/v4/mem/mem"
	"github.com/sarchlab/akita/v4/sim"
)

// Comp has ports Top[i] for the vector memory of compute unit i, Below[i] for requests past L1 (scalar and instruction
// caches, DMA) by the network port of compute unit i, and Control for the command processor. A request is of at most a
// line. Storage has the bytes: they move when the library accepts a request, in the order of the port.
type Comp struct {
	*sim.TickingComponent

	Storage *mem.Storage
	ports   []*port
	control sim.Port
	paused  bool // after a flush, until a restart
	flushes bool // takes no request until nothing is in flight

	memory   *C.host_memory
	inFlight map[uint64]func() // by token, with the answer: cgo lets C keep no pointers of Go
	next     uint64
}

type port struct {
	sim.Port
	sm    int
	below bool
	ready []sim.Msg
}

// New makes a Comp from a preset of the library and KEY=VALUE settings; sm.count is the number of compute units.
func New(name string, engine sim.Engine, freq sim.Freq, storage *mem.Storage, preset string,
	settings []string, bufferSize int) (*Comp, error) {
	c := &Comp{Storage: storage, inFlight: map[uint64]func(){}}
	c.TickingComponent = sim.NewTickingComponent(name, engine, freq, c)

	p, s := C.CString(preset), C.CString(strings.Join(settings, "\n")+"\n")
	defer C.free(unsafe.Pointer(p))
	defer C.free(unsafe.Pointer(s))
	c.memory = C.host_create(p, s)
	if c.memory == nil || c.memory.hierarchy == nil {
		defer c.Close()
		return nil, fmt.Errorf("gpucache: %s", c.failure())
	}
	add := func(place string) sim.Port {
		c.AddPort(place, sim.NewPort(c, bufferSize, bufferSize, name+"."+place))
		return c.GetPortByName(place)
	}
	c.control = add("Control")
	for i := 0; i < int(C.gpc_hierarchy_object_count(c.memory.hierarchy, C.GPC_OBJECT_SM)); i++ {
		c.ports = append(c.ports, &port{Port: add(fmt.Sprintf("Top[%d]", i)), sm: i},
			&port{Port: add(fmt.Sprintf("Below[%d]", i)), sm: i, below: true})
	}
	return c, nil
}

// Now is the library's clock: cycles of Freq since the engine's time 0.
func (c *Comp) Now() uint64 { return uint64(C.gpc_hierarchy_now(c.memory.hierarchy)) }

// Counters are the hierarchy's counters, by name.
func (c *Comp) Counters() map[string]uint64 {
	counters, value := map[string]uint64{}, C.uint64_t(0)
	for i := C.size_t(0); ; i++ {
		name := C.host_counter(c.memory, i, &value)
		if name == nil {
			return counters
		} else if value != C.GPC_ABSENT {
			counters[C.GoString(name)] = uint64(value)
		}
	}
}

// Close frees the library's memory.
func (c *Comp) Close() { C.host_destroy(c.memory) }

func (c *Comp) failure() string { return C.GoString(C.host_error(c.memory)) }

func (c *Comp) check(status C.int) {
	if status < 0 {
		log.Panicf("gpucache: %s", c.failure())
	}
}

// Tick runs a cycle: due answers, control, requests in order, then the library's clock. The component sleeps while
// nothing is in flight, and then makes up for the cycles of its sleep.
func (c *Comp) Tick() bool {
	if engine, library := c.Freq.Cycle(c.CurrentTime()), c.Now(); engine > library {
		c.check(C.host_advance(c.memory, C.uint64_t(engine-library)))
	}
	progress := c.obey()
	for _, p := range c.ports {
		for len(p.ready) > 0 && p.Send(p.ready[0]) == nil {
			p.ready = p.ready[1:]
			progress = true
		}
		for len(p.ready) == 0 && !c.paused && !c.flushes && c.take(p) {
			progress = true
		}
	}

	c.check(C.host_advance(c.memory, 1))
	for _, token := range unsafe.Slice((*uint64)(unsafe.Pointer(c.memory.done)), int(c.memory.count)) {
		if answer := c.inFlight[token]; answer != nil { // nil: discarded
			answer()
			delete(c.inFlight, token)
		}
		progress = true
	}
	C.host_taken(c.memory)
	return progress || C.host_is_idle(c.memory) == 0
}

// obey carries out a message of the command processor. Like Akita's caches, the component drops all lines with a flush
// and ends the accepted requests before. DiscardInflight leaves these requests unanswered.
func (c *Comp) obey() bool {
	msg := c.control.PeekIncoming()
	if msg == nil || !c.control.CanSend() {
		return false
	}
	var rsp sim.Msg
	switch req := msg.(type) {
	case *cache.FlushReq:
		if !c.flush(req.DiscardInflight) {
			return false
		}
		c.paused = req.PauseAfterFlushing
		rsp = cache.FlushRspBuilder{}.WithSrc(req.Dst).WithDst(req.Src).WithRspTo(req.ID).Build()
	case *cache.RestartReq:
		c.paused = false
		rsp = cache.RestartRspBuilder{}.WithSrc(req.Dst).WithDst(req.Src).WithRspTo(req.ID).Build()
	default:
		log.Panicf("gpucache: cannot handle a control message of type %T", msg)
	}
	c.control.RetrieveIncoming()
	c.control.Send(rsp)
	return true
}

// flush drops all lines, as soon as nothing is in flight.
func (c *Comp) flush(discard bool) bool {
	if discard {
		c.inFlight = map[uint64]func(){}
		for _, p := range c.ports {
			p.ready = nil
			for p.RetrieveIncoming() != nil {
			}
		}
	}
	c.flushes = C.host_is_idle(c.memory) == 0
	if !c.flushes {
		c.check(C.host_flush(c.memory))
	}
	return !c.flushes
}

// take passes a port's first request to the library; false: no request, or refused for now.
func (c *Comp) take(p *port) bool {
	msg := p.PeekIncoming()
	req, ok := msg.(mem.AccessReq)
	if msg == nil {
		return false
	} else if !ok {
		log.Panicf("gpucache: cannot handle a request of type %T", msg)
	}
	write, isWrite := req.(*mem.WriteReq)
	access := C.host_access{address: C.uint64_t(req.GetAddress()), size: C.uint64_t(req.GetByteSize()),
		sm: C.uint32_t(p.sm), below: C.bool(p.below), write: C.bool(isWrite)}
	var mask *C.bool
	if isWrite && write.DirtyMask != nil {
		mask = (*C.bool)(unsafe.Pointer(&write.DirtyMask[:len(write.Data)][0]))
	}
	if status := C.host_issue(c.memory, &access, mask, C.uint64_t(c.next)); status != C.GPC_OK {
		c.check(status)
		return false
	}
	p.RetrieveIncoming()
	answer := c.move(req)
	c.inFlight[c.next] = func() { p.ready = append(p.ready, answer) }
	c.next++
	return true
}

// move moves the bytes of an accepted request, and makes its answer.
func (c *Comp) move(req mem.AccessReq) sim.Msg {
	data, err := c.Storage.Read(req.GetAddress(), req.GetByteSize())
	must(err)
	meta := req.Meta()
	write, isWrite := req.(*mem.WriteReq)
	if !isWrite {
		return mem.DataReadyRspBuilder{}.WithSrc(meta.Dst).WithDst(meta.Src).WithRspTo(meta.ID).WithData(data).Build()
	}
	for b := range data {
		if write.DirtyMask == nil || write.DirtyMask[b] {
			data[b] = write.Data[b]
		}
	}
	must(c.Storage.Write(write.Address, data))
	return mem.WriteDoneRspBuilder{}.WithSrc(meta.Dst).WithDst(meta.Src).WithRspTo(meta.ID).Build()
}

func must(err error) {
	if err != nil {
		log.Panic(err)
	}
}
