// SPDX-License-Identifier: BSD-2-Clause

// The requests that `akita --list` prints of a trace, through the component: run PRESET [KEY=VALUE]... <LIST
// Prints counters, and what the command processor's messages and masks do. Builds with Akita and with the stub.
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"

	"gpucache"

	"github.com/sarchlab/akita/v4/mem/cache"
	"github.com/sarchlab/akita/v4/mem/mem"
	"github.com/sarchlab/akita/v4/sim"
	"github.com/sarchlab/akita/v4/sim/directconnection"
)

type request struct {
	sm, write     int
	address, size uint64
}

// agent sends a list of messages: reads wait for their answer, and control messages for all answers before.
type agent struct {
	*sim.TickingComponent
	port    sim.Port
	queue   []sim.Msg
	waits   string         // message that the queue waits for
	open    map[string]int // messages without an answer
	answers int
	data    []byte // of the last read
}

func newAgent(name string, engine sim.Engine, freq sim.Freq) *agent {
	a := &agent{open: map[string]int{}}
	a.TickingComponent = sim.NewTickingComponent(name, engine, freq, a)
	a.port = sim.NewPort(a, 4, 4, name+".Port")
	a.AddPort("Port", a.port)
	return a
}

func (a *agent) Tick() bool {
	progress := false
	for msg := a.port.RetrieveIncoming(); msg != nil; msg = a.port.RetrieveIncoming() {
		id := msg.(sim.Rsp).GetRspTo()
		if a.open[id] != 1 {
			log.Fatalf("an answer to %q, which is not open", id)
		}
		if rsp, isData := msg.(*mem.DataReadyRsp); isData {
			a.data = rsp.Data
		}
		delete(a.open, id)
		if a.waits == id {
			a.waits = ""
		}
		a.answers++
		progress = true
	}
	if len(a.queue) == 0 || a.waits != "" {
		return progress
	}
	msg := a.queue[0]
	if _, isWrite := msg.(*mem.WriteReq); !isWrite {
		a.waits = msg.Meta().ID
	}
	if a.port.Send(msg) != nil {
		a.waits = ""
		return progress
	}
	a.open[msg.Meta().ID] = 1
	a.queue = a.queue[1:]
	return true
}

type system struct {
	engine *sim.SerialEngine
	conn   *directconnection.Comp
	comp   *gpucache.Comp
	agents map[string]*agent
}

// at is the agent in front of a port of the component.
func (s *system) at(place string) *agent {
	a, found := s.agents[place]
	if !found {
		a = newAgent("Agent"+fmt.Sprint(len(s.agents)), s.engine, s.comp.Freq)
		s.conn.PlugIn(a.port)
		s.conn.PlugIn(s.comp.GetPortByName(place))
		s.agents[place] = a
	}
	return a
}

func (s *system) read(place string, address, size uint64) {
	a := s.at(place)
	a.queue = append(a.queue, mem.ReadReqBuilder{}.WithSrc(a.port.AsRemote()).
		WithDst(s.comp.GetPortByName(place).AsRemote()).WithAddress(address).WithByteSize(size).Build())
}

func (s *system) write(place string, address uint64, data []byte, mask []bool) {
	a := s.at(place)
	a.queue = append(a.queue, mem.WriteReqBuilder{}.WithSrc(a.port.AsRemote()).
		WithDst(s.comp.GetPortByName(place).AsRemote()).WithAddress(address).WithData(data).WithDirtyMask(mask).Build())
}

// run runs until nothing happens any more, and returns the number of messages without an answer.
func (s *system) run() int {
	open := 0
	for _, a := range s.agents {
		a.TickLater()
	}
	if err := s.engine.Run(); err != nil {
		log.Fatal(err)
	}
	for _, a := range s.agents {
		open += len(a.queue) + len(a.open)
	}
	return open
}

func (s *system) flush(pause, discard bool) {
	a := s.at("Control")
	flush := cache.FlushReqBuilder{}.WithSrc(a.port.AsRemote()).WithDst(s.comp.GetPortByName("Control").AsRemote())
	if pause {
		flush = flush.PauseAfterFlushing()
	}
	if discard {
		flush = flush.DiscardInflight()
	}
	a.queue = append(a.queue, flush.Build())
}

func main() {
	engine := sim.NewSerialEngine()
	comp, err := gpucache.New("Memory", engine, 1e9, mem.NewStorage(1<<48), os.Args[1], os.Args[2:], 4)
	if err != nil {
		log.Fatal(err)
	}
	defer comp.Close()
	s := &system{engine: engine, comp: comp, agents: map[string]*agent{}}
	s.conn = directconnection.MakeBuilder().WithEngine(engine).WithFreq(comp.Freq).Build("Conn")

	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var r request
		if _, err := fmt.Sscan(in.Text(), &r.sm, &r.address, &r.size, &r.write); err != nil {
			log.Fatal(err)
		}
		if place := fmt.Sprintf("Top[%d]", r.sm); r.write == 1 {
			s.write(place, r.address, make([]byte, r.size), nil)
		} else {
			s.read(place, r.address, r.size)
		}
	}
	fmt.Println("unanswered", s.run())
	fmt.Println("now", comp.Now())
	fmt.Println("engine", comp.Freq.Cycle(engine.CurrentTime()))
	for name, value := range comp.Counters() {
		fmt.Println(name, value)
	}
	s.order()
	s.masks()
	s.control()
}

// order prints the wrong bytes of a read that follows a write without waiting.
func (s *system) order() {
	const address = 0x30000
	s.read("Top[0]", address, 64)
	open := s.run()
	ones := make([]byte, 64)
	for i := range ones {
		ones[i] = 1
	}
	s.write("Top[0]", address, ones, nil)
	s.read("Top[0]", address, 64)
	fmt.Println("order.unanswered", open+s.run())
	wrong := 0
	for _, b := range s.at("Top[0]").data {
		wrong += 1 - int(b)
	}
	fmt.Println("order.wrong", wrong)
}

// masks prints what a masked write leaves, and what its bytes add to the network's.
func (s *system) masks() {
	const address = 0x10000
	bytes := func() uint64 { return s.comp.Counters()["network.request_bytes"] }
	ones, twos := make([]byte, 64), make([]byte, 64)
	for i := range ones {
		ones[i], twos[i] = 1, 2
	}
	four := make([]bool, 64)
	for i := 3; i < 7; i++ {
		four[i] = true
	}
	start := bytes()
	s.write("Top[0]", address, ones, nil)
	open := s.run()
	all := bytes()
	s.write("Top[0]", address, twos, four)
	open += s.run()
	masked := bytes()
	s.write("Top[0]", address, twos, make([]bool, 64))
	open += s.run()
	fmt.Println("masks.all_bytes", all-start)
	fmt.Println("masks.four_bytes", masked-all)
	fmt.Println("masks.no_bytes", bytes()-masked)
	lookups := s.comp.Counters()["l1.lookups"]
	s.read("Below[0]", address, 64)
	fmt.Println("masks.unanswered", open+s.run())
	fmt.Println("below.l1.lookups", s.comp.Counters()["l1.lookups"]-lookups)
	wrong := 0
	for i, b := range s.at("Below[0]").data {
		if (b == 2) != four[i] {
			wrong++
		}
	}
	fmt.Println("masks.wrong", wrong+64-len(s.at("Below[0]").data))
}

// control prints the number of open messages after each message of the command processor.
func (s *system) control() {
	const address = 0x20000
	misses := func() uint64 { return s.comp.Counters()["l1.load_line_misses"] }
	s.read("Top[0]", address, 64)
	s.run()
	before := misses()
	s.read("Top[0]", address, 64)
	s.run()
	fmt.Println("control.hit", misses()-before)
	s.flush(false, false)
	s.run()
	s.read("Top[0]", address, 64)
	fmt.Println("control.flushed", s.run())
	fmt.Println("control.miss", misses()-before)
	s.flush(true, false)
	s.run()
	s.read("Top[0]", address, 64)
	fmt.Println("control.paused", s.run())
	a := s.at("Control")
	a.queue = append(a.queue, cache.RestartReqBuilder{}.WithSrc(a.port.AsRemote()).
		WithDst(s.comp.GetPortByName("Control").AsRemote()).Build())
	fmt.Println("control.restarted", s.run())
	s.read("Top[0]", address+4096, 64)
	s.flush(false, true) // while the read is in flight
	fmt.Println("control.discarded", s.run())
}
