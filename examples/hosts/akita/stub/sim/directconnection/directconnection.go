// SPDX-License-Identifier: BSD-2-Clause

// Package directconnection is the used part of github.com/sarchlab/akita/v4/sim/directconnection: messages arrive in the
// cycle in which they are sent.
package directconnection

import "github.com/sarchlab/akita/v4/sim"

type Builder struct {
	engine sim.Engine
	freq   sim.Freq
}

func MakeBuilder() Builder                        { return Builder{} }
func (b Builder) WithEngine(e sim.Engine) Builder { b.engine = e; return b }
func (b Builder) WithFreq(f sim.Freq) Builder     { b.freq = f; return b }

func (b Builder) Build(name string) *Comp {
	c := &Comp{ports: map[sim.RemotePort]sim.Port{}}
	c.TickingComponent = sim.NewSecondaryTickingComponent(name, b.engine, b.freq, c)
	return c
}

type Comp struct {
	*sim.TickingComponent

	order []sim.Port
	ports map[sim.RemotePort]sim.Port
}

func (c *Comp) PlugIn(port sim.Port) {
	c.order = append(c.order, port)
	c.ports[port.AsRemote()] = port
	port.SetConnection(c)
}

func (c *Comp) Unplug(_ sim.Port) { panic("not implemented") }

func (c *Comp) NotifyAvailable(p sim.Port) {
	for _, port := range c.order {
		if port != p {
			port.NotifyAvailable()
		}
	}
	c.TickNow()
}

func (c *Comp) NotifySend() { c.TickNow() }

func (c *Comp) Tick() bool {
	progress := false
	for _, port := range c.order {
		for head := port.PeekOutgoing(); head != nil; head = port.PeekOutgoing() {
			if c.ports[head.Meta().Dst].Deliver(head) != nil {
				break
			}
			port.RetrieveOutgoing()
			progress = true
		}
	}
	return progress
}
