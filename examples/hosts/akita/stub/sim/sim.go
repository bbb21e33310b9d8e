// SPDX-License-Identifier: BSD-2-Clause

// Package sim is the part of github.com/sarchlab/akita/v4/sim (v4.0.0 to v4.9.0) that the component and run/main.go
// touch, with its names and signatures, and with its refusals: a port without a connection, a message with a wrong
// source, a second port of a name.
package sim

import (
	"fmt"
	"log"
)

type RemotePort string
type SendError struct{}

type MsgMeta struct {
	ID           string
	Src, Dst     RemotePort
	TrafficClass string
	TrafficBytes int
}

type Msg interface {
	Meta() *MsgMeta
	Clone() Msg
}

type Rsp interface {
	Msg
	GetRspTo() string
}

type IDGenerator interface {
	Generate() string
}

type sequence struct{ last int }

func (s *sequence) Generate() string {
	s.last++
	return fmt.Sprint(s.last)
}

var ids sequence

func GetIDGenerator() IDGenerator { return &ids }

type Named interface {
	Name() string
}

type Component interface {
	Named
	Handler
	AddPort(name string, port Port)
	GetPortByName(name string) Port
	NotifyRecv(port Port)
	NotifyPortFree(port Port)
}

type ComponentBase struct {
	name  string
	ports map[string]Port
}

func NewComponentBase(name string) *ComponentBase {
	return &ComponentBase{name: name, ports: map[string]Port{}}
}

func (c *ComponentBase) Name() string { return c.name }

func (c *ComponentBase) AddPort(name string, port Port) {
	if _, found := c.ports[name]; found {
		log.Panicf("a second port %s", name)
	}
	c.ports[name] = port
}

func (c *ComponentBase) GetPortByName(name string) Port {
	port, found := c.ports[name]
	if !found {
		log.Panicf("no port %s", name)
	}
	return port
}

type Connection interface {
	Named
	PlugIn(port Port)
	Unplug(port Port)
	NotifyAvailable(port Port)
	NotifySend()
}

type Port interface {
	Named
	AsRemote() RemotePort
	SetConnection(conn Connection)
	Component() Component
	Deliver(msg Msg) *SendError
	NotifyAvailable()
	RetrieveOutgoing() Msg
	PeekOutgoing() Msg
	CanSend() bool
	Send(msg Msg) *SendError
	RetrieveIncoming() Msg
	PeekIncoming() Msg
}

type port struct {
	name              string
	comp              Component
	conn              Connection
	in, out           []Msg
	inLimit, outLimit int
}

func NewPort(comp Component, incomingBufCap, outgoingBufCap int, name string) Port {
	return &port{name: name, comp: comp, inLimit: incomingBufCap, outLimit: outgoingBufCap}
}

func peek(queue []Msg) Msg {
	if len(queue) == 0 {
		return nil
	}
	return queue[0]
}

func (p *port) Name() string                  { return p.name }
func (p *port) AsRemote() RemotePort          { return RemotePort(p.name) }
func (p *port) Component() Component          { return p.comp }
func (p *port) SetConnection(conn Connection) { p.conn = conn }
func (p *port) NotifyAvailable()              { p.comp.NotifyPortFree(p) }
func (p *port) CanSend() bool                 { return len(p.out) < p.outLimit }
func (p *port) PeekIncoming() Msg             { return peek(p.in) }
func (p *port) PeekOutgoing() Msg             { return peek(p.out) }

func (p *port) Deliver(msg Msg) *SendError {
	if len(p.in) == p.inLimit {
		return &SendError{}
	}
	p.in = append(p.in, msg)
	if len(p.in) == 1 {
		p.comp.NotifyRecv(p)
	}
	return nil
}

func (p *port) Send(msg Msg) *SendError {
	meta := msg.Meta()
	if meta.Src != p.AsRemote() || meta.Dst == "" || meta.Src == meta.Dst {
		log.Panicf("%s sends a message from %q to %q", p.name, meta.Src, meta.Dst)
	}
	if !p.CanSend() {
		return &SendError{}
	}
	p.out = append(p.out, msg)
	if len(p.out) == 1 {
		p.conn.NotifySend()
	}
	return nil
}

func (p *port) RetrieveIncoming() Msg {
	msg := peek(p.in)
	if msg != nil {
		p.in = p.in[1:]
		if len(p.in) == p.inLimit-1 {
			p.conn.NotifyAvailable(p)
		}
	}
	return msg
}

func (p *port) RetrieveOutgoing() Msg {
	msg := peek(p.out)
	if msg != nil {
		p.out = p.out[1:]
		if len(p.out) == p.outLimit-1 {
			p.comp.NotifyPortFree(p)
		}
	}
	return msg
}
