package gateway

import (
	"encoding/json"
	"testing"
)

// TestStatusHasOldNames: for one version a script finds the figures under their
// previous names too.
func TestStatusHasOldNames(t *testing.T) {
	s := Status{Hosting: Hosting{
		Replicas: 2, Shards: []Shard{{Shard: "lobby", Role: "leads"}, {Shard: "1,2"}},
		Storage: &Storage{
			Votes: 3, ObservedAt: 7, Cells: []StoredCell{{Node: "a"}}, Observed: []ObservedRegion{{Agreed: true}},
			Audit: &Audit{Accusations: 4}, Accusations: []Accusation{{Leader: "b"}},
		},
	}}
	b, err := json.Marshal(withOldNames(&s))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	at := func(path ...any) any {
		var v any = got
		for _, p := range path {
			switch p := p.(type) {
			case string:
				v = v.(map[string]any)[p]
			case int:
				v = v.([]any)[p]
			}
		}
		return v
	}
	for _, c := range []struct{ now, before, want any }{
		{at("hosting", "replicas"), at("hosting", "copies"), 2.0},
		{at("hosting", "shards", 1, "shard"), at("hosting", "parts", 1, "part"), "1,2"},
		{at("hosting", "storage", "votes"), at("hosting", "truth", "votes"), 3.0},
		{at("hosting", "storage", "observed_at"), at("hosting", "truth", "looked"), 7.0},
		{at("hosting", "storage", "cells", 0, "node"), at("hosting", "truth", "parts", 0, "node"), "a"},
		{at("hosting", "storage", "observed", 0, "agreed"), at("hosting", "truth", "look", 0, "voted"), true},
		{at("hosting", "storage", "audit", "accusations"), at("hosting", "truth", "witness", "charges"), 4.0},
		{at("hosting", "storage", "accusations", 0, "leader"), at("hosting", "truth", "charges", 0, "leader"), "b"},
	} {
		if c.now != c.want || c.before != c.want {
			t.Errorf("%v under its name, %v under the previous one: want %v", c.now, c.before, c.want)
		}
	}
	if now, before := at("hosting", "shards", 0, "shard"), at("hosting", "parts", 0, "part"); now != "lobby" || before != "hall" {
		t.Errorf("the lobby is called %v, and before %v", now, before)
	}
	if at("deprecated") != deprecation {
		t.Error("nothing says that the previous names end")
	}
	var back Status
	if err := json.Unmarshal(b, &back); err != nil || back.Hosting.Replicas != 2 || back.Hosting.Storage.Votes != 3 {
		t.Errorf("read back %+v, %v", back.Hosting, err)
	}
}
