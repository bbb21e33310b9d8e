// SPDX-License-Identifier: BSD-2-Clause

// Package sim is the part of github.com/sarchlab/akita/v4/sim (v4.0 on: ports by name) that the component touches, with
// its names and signatures. What is behind them is this test's: ports of two queues, and no engine.
package sim

import "fmt"

type RemotePort string
type Freq float64
type Engine interface{}
type SendError struct{}
type Component interface{}

type MsgMeta struct {
	ID           string
	Src, Dst     RemotePort
	TrafficClass string
	TrafficBytes int
}

type Msg interface {
	Meta() *MsgMeta
}

type Port interface {
	AsRemote() RemotePort
	Deliver(msg Msg) *SendError
	RetrieveOutgoing() Msg
	PeekOutgoing() Msg
	CanSend() bool
	Send(msg Msg) *SendError
	RetrieveIncoming() Msg
	PeekIncoming() Msg
}

type port struct {
	name              string
	in, out           []Msg
	inLimit, outLimit int
}

func NewPort(comp Component, incomingBufCap, outgoingBufCap int, name string) Port {
	return &port{name: name, inLimit: incomingBufCap, outLimit: outgoingBufCap}
}

func put(queue *[]Msg, limit int, msg Msg) *SendError {
	if len(*queue) == limit {
		return &SendError{}
	}
	*queue = append(*queue, msg)
	return nil
}

func peek(queue []Msg) Msg {
	if len(queue) == 0 {
		return nil
	}
	return queue[0]
}

func take(queue *[]Msg) Msg {
	msg := peek(*queue)
	if msg != nil {
		*queue = (*queue)[1:]
	}
	return msg
}

func (p *port) AsRemote() RemotePort       { return RemotePort(p.name) }
func (p *port) Deliver(msg Msg) *SendError { return put(&p.in, p.inLimit, msg) }
func (p *port) Send(msg Msg) *SendError    { return put(&p.out, p.outLimit, msg) }
func (p *port) CanSend() bool              { return len(p.out) < p.outLimit }
func (p *port) PeekIncoming() Msg          { return peek(p.in) }
func (p *port) PeekOutgoing() Msg          { return peek(p.out) }
func (p *port) RetrieveIncoming() Msg      { return take(&p.in) }
func (p *port) RetrieveOutgoing() Msg      { return take(&p.out) }

type Ticker interface {
	Tick() bool
}

type TickingComponent struct {
	ports map[string]Port
}

func NewTickingComponent(name string, engine Engine, freq Freq, ticker Ticker) *TickingComponent {
	return &TickingComponent{ports: map[string]Port{}}
}

func (c *TickingComponent) AddPort(name string, port Port) { c.ports[name] = port }
func (c *TickingComponent) GetPortByName(name string) Port { return c.ports[name] }

var ids int

func newID() string {
	ids++
	return fmt.Sprint(ids)
}

// NewMeta is the stub's alone: what the builders of mem begin with.
func NewMeta(src, dst RemotePort) MsgMeta {
	return MsgMeta{ID: newID(), Src: src, Dst: dst}
}
