package host_test

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
)

// TestHostsIsForOperators: /hosts is for an operator at the founder's machine; another
// player there is refused.
func TestHostsIsForOperators(t *testing.T) {
	h := start(t, shared(t))
	ann, eve := join(t, h, identity(t, "Ann"), ""), join(t, h, identity(t, "Eve"), "")
	if !ann.Welcome().Operator || eve.Welcome().Operator {
		t.Fatal("Ann alone should be an operator")
	}
	for _, p := range []*player{ann, eve} {
		if err := p.Say("/hosts list"); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "Ann to read of the hosts", func() bool { return ann.heard(": No other node has hosted this world.") })
	until(t, "Eve to be refused", func() bool { return eve.heard(": /hosts is for operators.") })
}

// TestStatesIsForOperators: /states is for an operator at the founder's machine, and says
// how it is used.
func TestStatesIsForOperators(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	h := start(t, shared(t))
	ann, eve := join(t, h, identity(t, "Ann"), ""), join(t, h, identity(t, "Eve"), "")
	for _, text := range []string{"/states list 1", "/states restore 0 0 x", "/states list 5000000 0"} {
		if err := ann.Say(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := eve.Say("/states list 0 0"); err != nil {
		t.Fatal(err)
	}
	until(t, "Ann to read how it is used", func() bool { return ann.heard(": Usage: /states list <x> <z> | aside") })
	until(t, "Ann to read that there is none", func() bool { return ann.heard(": Nobody keeps a state of region") })
	until(t, "Eve to be refused", func() bool { return eve.heard(": /states is for operators.") })
}
