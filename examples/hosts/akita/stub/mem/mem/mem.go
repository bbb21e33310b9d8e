// SPDX-License-Identifier: BSD-2-Clause

// Package mem is the part of github.com/sarchlab/akita/v4/mem/mem (protocol.go of 01584fc, storage.go) that the component
// touches, with its names and signatures.
package mem

import "github.com/sarchlab/akita/v4/sim"

type AccessReq interface {
	sim.Msg
	GetAddress() uint64
	GetByteSize() uint64
}

type ReadReq struct {
	sim.MsgMeta
	Address        uint64
	AccessByteSize uint64
}

func (r *ReadReq) Meta() *sim.MsgMeta  { return &r.MsgMeta }
func (r *ReadReq) GetByteSize() uint64 { return r.AccessByteSize }
func (r *ReadReq) GetAddress() uint64  { return r.Address }

type WriteReq struct {
	sim.MsgMeta
	Address   uint64
	Data      []byte
	DirtyMask []bool
}

func (r *WriteReq) Meta() *sim.MsgMeta  { return &r.MsgMeta }
func (r *WriteReq) GetByteSize() uint64 { return uint64(len(r.Data)) }
func (r *WriteReq) GetAddress() uint64  { return r.Address }

type DataReadyRsp struct {
	sim.MsgMeta
	RespondTo string
	Data      []byte
}

func (r *DataReadyRsp) Meta() *sim.MsgMeta { return &r.MsgMeta }

type WriteDoneRsp struct {
	sim.MsgMeta
	RespondTo string
}

func (r *WriteDoneRsp) Meta() *sim.MsgMeta { return &r.MsgMeta }

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
	return &DataReadyRsp{MsgMeta: sim.NewMeta(b.src, b.dst), RespondTo: b.rspTo, Data: b.data}
}

type WriteDoneRspBuilder struct {
	src, dst sim.RemotePort
	rspTo    string
}

func (b WriteDoneRspBuilder) WithSrc(src sim.RemotePort) WriteDoneRspBuilder { b.src = src; return b }
func (b WriteDoneRspBuilder) WithDst(dst sim.RemotePort) WriteDoneRspBuilder { b.dst = dst; return b }
func (b WriteDoneRspBuilder) WithRspTo(id string) WriteDoneRspBuilder        { b.rspTo = id; return b }
func (b WriteDoneRspBuilder) Build() *WriteDoneRsp {
	return &WriteDoneRsp{MsgMeta: sim.NewMeta(b.src, b.dst), RespondTo: b.rspTo}
}

type Storage struct {
	bytes map[uint64]byte
}

func NewStorage(capacity uint64) *Storage {
	return &Storage{bytes: map[uint64]byte{}}
}

func (s *Storage) Read(address uint64, length uint64) ([]byte, error) {
	data := make([]byte, length)
	for i := range data {
		data[i] = s.bytes[address+uint64(i)]
	}
	return data, nil
}

func (s *Storage) Write(address uint64, data []byte) error {
	for i, b := range data {
		s.bytes[address+uint64(i)] = b
	}
	return nil
}
