// SPDX-License-Identifier: BSD-2-Clause

package sim

import (
	"log"
	"math"
)

type VTimeInSec float64
type Freq float64

func (f Freq) Cycle(time VTimeInSec) uint64 { return uint64(math.Round(float64(time) * float64(f))) }

type Event interface {
	Time() VTimeInSec
	Handler() Handler
	IsSecondary() bool
}

type Handler interface {
	Handle(e Event) error
}

type Engine interface {
	CurrentTime() VTimeInSec
	Schedule(e Event)
	Run() error
}

// SerialEngine runs events by time, and secondary events after all others of the time.
type SerialEngine struct {
	time   VTimeInSec
	events []Event
}

func NewSerialEngine() *SerialEngine { return &SerialEngine{} }

func (e *SerialEngine) CurrentTime() VTimeInSec { return e.time }

func (e *SerialEngine) Schedule(event Event) {
	if event.Time() < e.time {
		log.Panic("an event in the past")
	}
	e.events = append(e.events, event)
}

func (e *SerialEngine) Run() error {
	for len(e.events) > 0 {
		first := 0
		for i, event := range e.events {
			best := e.events[first]
			if event.Time() < best.Time() ||
				(event.Time() == best.Time() && best.IsSecondary() && !event.IsSecondary()) {
				first = i
			}
		}
		event := e.events[first]
		e.events = append(e.events[:first], e.events[first+1:]...)
		e.time = event.Time()
		if err := event.Handler().Handle(event); err != nil {
			return err
		}
	}
	return nil
}

type TickEvent struct {
	time      VTimeInSec
	handler   Handler
	secondary bool
}

func (e TickEvent) Time() VTimeInSec  { return e.time }
func (e TickEvent) Handler() Handler  { return e.handler }
func (e TickEvent) IsSecondary() bool { return e.secondary }

type Ticker interface {
	Tick() bool
}

// TickScheduler has at most an event a cycle.
type TickScheduler struct {
	Freq   Freq
	Engine Engine

	handler   Handler
	secondary bool
	last      VTimeInSec
}

func (t *TickScheduler) CurrentTime() VTimeInSec { return t.Engine.CurrentTime() }

func (t *TickScheduler) tick(time VTimeInSec) {
	if t.last < time {
		t.last = time
		t.Engine.Schedule(TickEvent{time, t.handler, t.secondary})
	}
}

func (t *TickScheduler) TickNow() { t.tick(t.CurrentTime()) }

func (t *TickScheduler) TickLater() {
	t.tick(VTimeInSec(float64(t.Freq.Cycle(t.CurrentTime())+1) / float64(t.Freq)))
}

// TickingComponent ticks again after a tick with progress, and if a port receives or has room again; no more otherwise.
type TickingComponent struct {
	*ComponentBase
	*TickScheduler

	ticker Ticker
}

func (c *TickingComponent) NotifyPortFree(_ Port) { c.TickLater() }
func (c *TickingComponent) NotifyRecv(_ Port)     { c.TickLater() }

func (c *TickingComponent) Handle(e Event) error {
	if c.ticker.Tick() {
		c.TickLater()
	}
	return nil
}

func NewTickingComponent(name string, engine Engine, freq Freq, ticker Ticker) *TickingComponent {
	c := &TickingComponent{ComponentBase: NewComponentBase(name), ticker: ticker}
	c.TickScheduler = &TickScheduler{Freq: freq, Engine: engine, handler: c, last: -1}
	return c
}

func NewSecondaryTickingComponent(name string, engine Engine, freq Freq, ticker Ticker) *TickingComponent {
	c := NewTickingComponent(name, engine, freq, ticker)
	c.secondary = true
	return c
}
