// SPDX-License-Identifier: BSD-2-Clause

// Package cache is the used part of github.com/sarchlab/akita/v4/mem/cache: the command processor's messages to caches.
package cache

import "github.com/sarchlab/akita/v4/sim"

type FlushReq struct {
	sim.MsgMeta
	InvalidateAllCachelines bool
	DiscardInflight         bool
	PauseAfterFlushing      bool
}

type FlushRsp struct {
	sim.MsgMeta
	RspTo string
}

type RestartReq struct {
	sim.MsgMeta
}

type RestartRsp struct {
	sim.MsgMeta
	RspTo string
}

func (r *FlushReq) Meta() *sim.MsgMeta   { return &r.MsgMeta }
func (r *FlushRsp) Meta() *sim.MsgMeta   { return &r.MsgMeta }
func (r *RestartReq) Meta() *sim.MsgMeta { return &r.MsgMeta }
func (r *RestartRsp) Meta() *sim.MsgMeta { return &r.MsgMeta }

func (r *FlushReq) Clone() sim.Msg   { c := *r; c.ID = sim.GetIDGenerator().Generate(); return &c }
func (r *FlushRsp) Clone() sim.Msg   { c := *r; c.ID = sim.GetIDGenerator().Generate(); return &c }
func (r *RestartReq) Clone() sim.Msg { c := *r; c.ID = sim.GetIDGenerator().Generate(); return &c }
func (r *RestartRsp) Clone() sim.Msg { c := *r; c.ID = sim.GetIDGenerator().Generate(); return &c }

func (r *FlushRsp) GetRspTo() string   { return r.RspTo }
func (r *RestartRsp) GetRspTo() string { return r.RspTo }

type FlushReqBuilder struct {
	src, dst                            sim.RemotePort
	invalidate, discard, pauseAfterward bool
}

func (b FlushReqBuilder) WithSrc(src sim.RemotePort) FlushReqBuilder { b.src = src; return b }
func (b FlushReqBuilder) WithDst(dst sim.RemotePort) FlushReqBuilder { b.dst = dst; return b }
func (b FlushReqBuilder) InvalidateAllCacheLines() FlushReqBuilder   { b.invalidate = true; return b }
func (b FlushReqBuilder) DiscardInflight() FlushReqBuilder           { b.discard = true; return b }
func (b FlushReqBuilder) PauseAfterFlushing() FlushReqBuilder        { b.pauseAfterward = true; return b }
func (b FlushReqBuilder) Build() *FlushReq {
	return &FlushReq{meta(b.src, b.dst), b.invalidate, b.discard, b.pauseAfterward}
}

type RestartReqBuilder struct {
	src, dst sim.RemotePort
}

func (b RestartReqBuilder) WithSrc(src sim.RemotePort) RestartReqBuilder { b.src = src; return b }
func (b RestartReqBuilder) WithDst(dst sim.RemotePort) RestartReqBuilder { b.dst = dst; return b }
func (b RestartReqBuilder) Build() *RestartReq                           { return &RestartReq{meta(b.src, b.dst)} }

type FlushRspBuilder struct {
	src, dst sim.RemotePort
	rspTo    string
}

func (b FlushRspBuilder) WithSrc(src sim.RemotePort) FlushRspBuilder { b.src = src; return b }
func (b FlushRspBuilder) WithDst(dst sim.RemotePort) FlushRspBuilder { b.dst = dst; return b }
func (b FlushRspBuilder) WithRspTo(id string) FlushRspBuilder        { b.rspTo = id; return b }
func (b FlushRspBuilder) Build() *FlushRsp                           { return &FlushRsp{meta(b.src, b.dst), b.rspTo} }

type RestartRspBuilder struct {
	src, dst sim.RemotePort
	rspTo    string
}

func (b RestartRspBuilder) WithSrc(src sim.RemotePort) RestartRspBuilder { b.src = src; return b }
func (b RestartRspBuilder) WithDst(dst sim.RemotePort) RestartRspBuilder { b.dst = dst; return b }
func (b RestartRspBuilder) WithRspTo(id string) RestartRspBuilder        { b.rspTo = id; return b }
func (b RestartRspBuilder) Build() *RestartRsp                           { return &RestartRsp{meta(b.src, b.dst), b.rspTo} }

func meta(src, dst sim.RemotePort) sim.MsgMeta {
	return sim.MsgMeta{ID: sim.GetIDGenerator().Generate(), Src: src, Dst: dst}
}
