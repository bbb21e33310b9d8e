// SPDX-License-Identifier: BSD-2-Clause

// The requests that `akita --list` prints of a trace, through the component: run PRESET [KEY=VALUE]... <LIST
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"

	"gpucache"

	"github.com/sarchlab/akita/v4/mem/mem"
	"github.com/sarchlab/akita/v4/sim"
)

type request struct {
	sm, write     int
	address, size uint64
}

func main() {
	queues := map[int][]request{}
	sms := 0
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var r request
		if _, err := fmt.Sscan(in.Text(), &r.sm, &r.address, &r.size, &r.write); err != nil {
			log.Fatal(err)
		}
		queues[r.sm] = append(queues[r.sm], r)
		if r.sm >= sms {
			sms = r.sm + 1
		}
	}
	comp, err := gpucache.New("Memory", nil, 1, mem.NewStorage(1<<40), os.Args[1], os.Args[2:], 4)
	if err != nil {
		log.Fatal(err)
	}
	defer comp.Close()

	waits := map[int]string{} // the read that each SM waits for
	answers, wrong := 0, 0
	for comp.Tick(); ; {
		left := false
		for sm := 0; sm < sms; sm++ {
			port := comp.GetPortByName(fmt.Sprintf("Top[%d]", sm))
			for msg := port.RetrieveOutgoing(); msg != nil; msg = port.RetrieveOutgoing() {
				answers++
				if rsp, isData := msg.(*mem.DataReadyRsp); isData {
					if rsp.RespondTo != waits[sm] || len(rsp.Data) == 0 {
						wrong++
					}
					delete(waits, sm)
				}
			}
			if len(queues[sm]) > 0 && waits[sm] == "" {
				r := queues[sm][0]
				src := sim.RemotePort(fmt.Sprintf("CU[%d]", sm))
				meta := sim.NewMeta(src, port.AsRemote())
				var msg sim.Msg = &mem.ReadReq{MsgMeta: meta, Address: r.address, AccessByteSize: r.size}
				if r.write == 1 {
					msg = &mem.WriteReq{MsgMeta: meta, Address: r.address, Data: make([]byte, r.size)}
				}
				if port.Deliver(msg) == nil {
					queues[sm] = queues[sm][1:]
					if r.write == 0 {
						waits[sm] = meta.ID
					}
				}
			}
			left = left || len(queues[sm]) > 0 || waits[sm] != ""
		}
		if !comp.Tick() && !left {
			break
		}
	}
	fmt.Printf("now %d\nanswers %d\nwrong %d\n", comp.Now(), answers, wrong)
}
