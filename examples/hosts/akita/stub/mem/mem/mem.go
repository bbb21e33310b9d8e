// SPDX-License-Identifier: BSD-2-Clause

// Package mem is the part of github.com/sarchlab/akita/v4/mem/mem (v4.0.0 to v4.9.0: protocol.go, storage.go) that the
// component and run/main.go touch, with its names and signatures.
package mem

import (
	"errors"

	"github.com/sarchlab/akita/v4/sim"
)

type AccessReq interface {
	sim.Msg
	GetAddress() uint64
	GetByteSize() uint64
}

type ReadReq struct {
	sim.MsgMeta
	Address            uint64
	AccessByteSize     uint64
	CanWaitForCoalesce bool
	Info               interface{}
}

type WriteReq struct {
	sim.MsgMeta
	Address            uint64
	Data               []byte
	DirtyMask          []bool // nil: all bytes
	CanWaitForCoalesce bool
	Info               interface{}
}

type DataReadyRsp struct {
	sim.MsgMeta
	RespondTo string
	Data      []byte
}

type WriteDoneRsp struct {
	sim.MsgMeta
	RespondTo string
}

func (r *ReadReq) Meta() *sim.MsgMeta      { return &r.MsgMeta }
func (r *WriteReq) Meta() *sim.MsgMeta     { return &r.MsgMeta }
func (r *DataReadyRsp) Meta() *sim.MsgMeta { return &r.MsgMeta }
func (r *WriteDoneRsp) Meta() *sim.MsgMeta { return &r.MsgMeta }

func newID() string { return sim.GetIDGenerator().Generate() }

func (r *ReadReq) Clone() sim.Msg      { c := *r; c.ID = newID(); return &c }
func (r *WriteReq) Clone() sim.Msg     { c := *r; c.ID = newID(); return &c }
func (r *DataReadyRsp) Clone() sim.Msg { c := *r; c.ID = newID(); return &c }
func (r *WriteDoneRsp) Clone() sim.Msg { c := *r; c.ID = newID(); return &c }

func (r *ReadReq) GetByteSize() uint64   { return r.AccessByteSize }
func (r *ReadReq) GetAddress() uint64    { return r.Address }
func (r *WriteReq) GetByteSize() uint64  { return uint64(len(r.Data)) }
func (r *WriteReq) GetAddress() uint64   { return r.Address }
func (r *DataReadyRsp) GetRspTo() string { return r.RespondTo }
func (r *WriteDoneRsp) GetRspTo() string { return r.RespondTo }

type ReadReqBuilder struct {
	src, dst      sim.RemotePort
	address, size uint64
}

func (b ReadReqBuilder) WithSrc(src sim.RemotePort) ReadReqBuilder   { b.src = src; return b }
func (b ReadReqBuilder) WithDst(dst sim.RemotePort) ReadReqBuilder   { b.dst = dst; return b }
func (b ReadReqBuilder) WithAddress(address uint64) ReadReqBuilder   { b.address = address; return b }
func (b ReadReqBuilder) WithByteSize(byteSize uint64) ReadReqBuilder { b.size = byteSize; return b }
func (b ReadReqBuilder) Build() *ReadReq {
	return &ReadReq{MsgMeta: meta(b.src, b.dst), Address: b.address, AccessByteSize: b.size}
}

type WriteReqBuilder struct {
	src, dst sim.RemotePort
	address  uint64
	data     []byte
	mask     []bool
}

func (b WriteReqBuilder) WithSrc(src sim.RemotePort) WriteReqBuilder { b.src = src; return b }
func (b WriteReqBuilder) WithDst(dst sim.RemotePort) WriteReqBuilder { b.dst = dst; return b }
func (b WriteReqBuilder) WithAddress(address uint64) WriteReqBuilder { b.address = address; return b }
func (b WriteReqBuilder) WithData(data []byte) WriteReqBuilder       { b.data = data; return b }
func (b WriteReqBuilder) WithDirtyMask(mask []bool) WriteReqBuilder  { b.mask = mask; return b }
func (b WriteReqBuilder) Build() *WriteReq {
	return &WriteReq{MsgMeta: meta(b.src, b.dst), Address: b.address, Data: b.data, DirtyMask: b.mask}
}

type DataReadyRspBuilder struct {
	src, dst sim.RemotePort
	rspTo    string
	data     []byte
}

func (b DataReadyRspBuilder) WithSrc(src sim.RemotePort) DataReadyRspBuilder { b.src = src; return b }
func (b DataReadyRspBuilder) WithDst(dst sim.RemotePort) DataReadyRspBuilder { b.dst = dst; return b }
func (b DataReadyRspBuilder) WithRspTo(id string) DataReadyRspBuilder        { b.rspTo = id; return b }
func (b DataReadyRspBuilder) WithData(data []byte) DataReadyRspBuilder       { b.data = data; return b }
func (b DataReadyRspBuilder) Build() *DataReadyRsp {
	return &DataReadyRsp{meta(b.src, b.dst), b.rspTo, b.data}
}

type WriteDoneRspBuilder struct {
	src, dst sim.RemotePort
	rspTo    string
}

func (b WriteDoneRspBuilder) WithSrc(src sim.RemotePort) WriteDoneRspBuilder { b.src = src; return b }
func (b WriteDoneRspBuilder) WithDst(dst sim.RemotePort) WriteDoneRspBuilder { b.dst = dst; return b }
func (b WriteDoneRspBuilder) WithRspTo(id string) WriteDoneRspBuilder        { b.rspTo = id; return b }
func (b WriteDoneRspBuilder) Build() *WriteDoneRsp                           { return &WriteDoneRsp{meta(b.src, b.dst), b.rspTo} }

func meta(src, dst sim.RemotePort) sim.MsgMeta {
	return sim.MsgMeta{ID: newID(), Src: src, Dst: dst}
}

type Storage struct {
	Capacity uint64
	bytes    map[uint64]byte
}

func NewStorage(capacity uint64) *Storage {
	return &Storage{Capacity: capacity, bytes: map[uint64]byte{}}
}

func (s *Storage) Read(address uint64, length uint64) ([]byte, error) {
	if address+length > s.Capacity {
		return nil, errors.New("beyond the storage's capacity")
	}
	data := make([]byte, length)
	for i := range data {
		data[i] = s.bytes[address+uint64(i)]
	}
	return data, nil
}

func (s *Storage) Write(address uint64, data []byte) error {
	if address+uint64(len(data)) > s.Capacity {
		return errors.New("beyond the storage's capacity")
	}
	for i, b := range data {
		s.bytes[address+uint64(i)] = b
	}
	return nil
}
