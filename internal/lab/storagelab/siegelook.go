package storagelab

import (
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/attack"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// inspect counts what was tampered with of what honest nodes store, as the
// tables 6.29 to 6.31 do.
func (s *siege) inspect(of int64) {
	r := &s.result
	r.Updates = of
	s.taint.Forget(s.update(of - 8))
	s.gaps(of)
	s.judge.inspect(s, of)
	r.siegeVerdict = s.judge.siegeVerdict
	r.Nodes, r.Objects, r.Own = 0, 0, 0
	bad, lost := map[state.ObjectID]int{}, map[state.ObjectID]int{}
	s.replicas(func(list []*state.Object) {
		hit := 0
		for _, o := range list {
			if attack.Tampered(o) {
				hit = 1
				bad[o.ID]++
				lost[o.ID] += lab.Indicator(attack.Lost(o))
			}
		}
		r.Nodes += hit
	})
	if r.Nodes == 0 {
		return
	}
	if r.Seen == 0 {
		r.Seen = of
	}
	all := map[state.ObjectID]int{}
	s.replicas(func(list []*state.Object) {
		for _, o := range list {
			if bad[o.ID] > 0 {
				all[o.ID]++
			}
		}
	})
	for id, n := range bad {
		if 2*n > all[id] {
			r.Objects++
			r.Own += lab.Indicator(lost[id] == n)
		}
	}
	if r.Objects > 0 && r.First == 0 {
		r.First = of
	}
}

// gaps looks what honest nodes do not know.
func (s *siege) gaps(of int64) {
	held := map[state.ObjectID]bool{}
	unsure, lost := 0, 0
	for _, node := range s.live() {
		if state := node.machine().State(); state != nil && !s.gang.Has(node.self.ID) {
			unsure += lab.Indicator(state.UnsureCells() > 0)
			for _, o := range state.Objects(&state.Cover, s.rules.World(), nil) {
				held[o.ID] = true
			}
		}
	}
	for _, o := range s.truth.objects {
		lost += lab.Indicator(!o.Static && !held[o.ID])
	}
	s.result.Unsure, s.result.Lost = max(s.result.Unsure, unsure), max(s.result.Lost, lost)
}

// replicas lists what each honest node stores.
func (s *siege) replicas(each func([]*state.Object)) {
	for _, node := range s.live() {
		if s.gang.Has(node.self.ID) {
			continue
		}
		m := node.machine()
		list := m.Static()
		if state := m.State(); state != nil {
			list = state.Objects(&state.Cover, m.World(), list)
		}
		each(list)
	}
}
