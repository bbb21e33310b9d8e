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
	"reflect"
	"strings"
	"unsafe"

	"github.com/sarchlab/akita/v4/mem/mem"
	"github.com/sarchlab/akita/v4/sim"
)

// Comp has a port per compute unit. Requests come from MGPUSim's coalescer of a CU: ReadReq and WriteReq of a line at
// most. Storage has the bytes; bytes move when the library reports the end of a request.
type Comp struct {
	*sim.TickingComponent

	Storage *mem.Storage
	ports   []sim.Port

	memory   *C.host_memory
	inFlight map[uint64]mem.AccessReq // by token: cgo lets C keep no pointers of Go
	port     map[uint64]int
	next     uint64
	ready    [][]sim.Msg // waiting responses by port
}

// New makes a Comp from a preset of the library and KEY=VALUE settings; sm.count is the number of ports.
func New(name string, engine sim.Engine, freq sim.Freq, storage *mem.Storage, preset string,
	settings []string, bufferSize int) (*Comp, error) {
	c := &Comp{Storage: storage, inFlight: map[uint64]mem.AccessReq{}, port: map[uint64]int{}}
	c.TickingComponent = sim.NewTickingComponent(name, engine, freq, c)

	p, s := C.CString(preset), C.CString(strings.Join(settings, "\n")+"\n")
	defer C.free(unsafe.Pointer(p))
	defer C.free(unsafe.Pointer(s))
	c.memory = C.host_create(p, s)
	if c.memory == nil || c.memory.hierarchy == nil {
		defer c.Close()
		return nil, fmt.Errorf("gpucache: %s", c.failure())
	}

	for i := 0; i < int(C.gpc_hierarchy_object_count(c.memory.hierarchy, C.GPC_OBJECT_SM)); i++ {
		portName := fmt.Sprintf("%s.TopPort[%d]", name, i)
		port := sim.NewPort(c, bufferSize, bufferSize, portName)
		c.AddPort(fmt.Sprintf("Top[%d]", i), port)
		c.ports = append(c.ports, port)
	}
	c.ready = make([][]sim.Msg, len(c.ports))
	return c, nil
}

// Now is the library's clock, in cycles.
func (c *Comp) Now() uint64 {
	return uint64(C.gpc_hierarchy_now(c.memory.hierarchy))
}

// Close frees the library's memory.
func (c *Comp) Close() {
	C.host_destroy(c.memory)
	c.memory = nil
}

func (c *Comp) failure() string {
	if c.memory == nil {
		return "out of memory"
	}
	return C.GoString(C.host_error(c.memory))
}

// Tick runs a cycle: due responses, requests in order, then the library's clock.
func (c *Comp) Tick() bool {
	progress := false
	for i, port := range c.ports {
		for len(c.ready[i]) > 0 && port.Send(c.ready[i][0]) == nil {
			c.ready[i] = c.ready[i][1:]
			progress = true
		}
		for len(c.ready[i]) == 0 && c.take(i, port) {
			progress = true
		}
	}

	if C.host_cycle(c.memory) != C.GPC_OK {
		log.Panicf("gpucache: %s", c.failure())
	}
	for _, token := range unsafe.Slice((*uint64)(unsafe.Pointer(c.memory.done)), int(c.memory.count)) {
		c.respond(token)
		progress = true
	}
	C.host_taken(c.memory)
	return progress || C.host_is_idle(c.memory) == 0
}

// take passes a port's first request to the library; false: no request, or refused for now.
func (c *Comp) take(i int, port sim.Port) bool {
	req, ok := port.PeekIncoming().(mem.AccessReq)
	if !ok {
		return false
	}
	write := C.int(0)
	if _, isWrite := req.(*mem.WriteReq); isWrite {
		write = 1
	}
	status := C.host_issue(c.memory, C.uint32_t(i), C.uint64_t(req.GetAddress()), C.uint64_t(req.GetByteSize()),
		write, C.uint64_t(c.next))
	if status < 0 {
		log.Panicf("gpucache: %s", c.failure())
	}
	if status != C.GPC_OK {
		return false
	}
	port.RetrieveIncoming()
	c.inFlight[c.next], c.port[c.next] = req, i
	c.next++
	return true
}

// respond moves the bytes of a completed request, and sends the response with the next cycle.
func (c *Comp) respond(token uint64) {
	i := c.port[token]
	var rsp sim.Msg
	switch req := c.inFlight[token].(type) {
	case *mem.ReadReq:
		data, err := c.Storage.Read(req.Address, req.AccessByteSize)
		must(err)
		rsp = mem.DataReadyRspBuilder{}.WithSrc(c.ports[i].AsRemote()).WithDst(req.Src).WithRspTo(req.ID).
			WithData(data).Build()
	case *mem.WriteReq:
		data := req.Data
		if req.DirtyMask != nil {
			old, err := c.Storage.Read(req.Address, uint64(len(data)))
			must(err)
			for b := range data {
				if req.DirtyMask[b] {
					old[b] = data[b]
				}
			}
			data = old
		}
		must(c.Storage.Write(req.Address, data))
		rsp = mem.WriteDoneRspBuilder{}.WithSrc(c.ports[i].AsRemote()).WithDst(req.Src).WithRspTo(req.ID).Build()
	default:
		log.Panicf("gpucache: cannot handle a request of type %s", reflect.TypeOf(req))
	}
	delete(c.inFlight, token)
	delete(c.port, token)
	c.ready[i] = append(c.ready[i], rsp)
}

func must(err error) {
	if err != nil {
		log.Panic(err)
	}
}
