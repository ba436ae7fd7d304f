package main

import (
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
)

// TestInviteCommands makes, lists and revokes invitations to a world.
func TestInviteCommands(t *testing.T) {
	p := program{t, t.TempDir()}
	p.ok("world", "new", "castle", "--difficulty", "1")
	text := strings.TrimSpace(p.ok("invite", "create", "castle", "192.0.2.7:4747", "--days", "7", "--uses", "3", "--note", "Ada"))
	i, err := invitation.Parse(text)
	if err != nil || i.Permits != invitation.Build || i.Uses != 3 || i.Until == 0 || len(i.Addrs) != 1 {
		t.Fatalf("%q is %+v, %v", text, i, err)
	}
	if hosts, err := invitation.Parse(p.ok("invite", "create", "castle", "--host")); err != nil || hosts.Permits != invitation.Host || hosts.Until != 0 {
		t.Errorf("to host: %+v, %v", hosts, err)
	}
	if visits, err := invitation.Parse(p.ok("invite", "create", "castle", "--visit", "--uses", "9")); err != nil || visits.Permits != invitation.Visit || visits.Uses != 9 {
		t.Errorf("to visit: %+v, %v", visits, err)
	}
	if code, _, _ := p.run("invite", "create", "castle", "--visit", "--build"); code != host.ExitUsage {
		t.Errorf("to visit and to build: exit code %d", code)
	}
	if code, _, errs := p.run("invite", "create", "castle", "--host", "--uses", "1"); code != host.ExitUsage || !strings.Contains(errs, "--uses") {
		t.Errorf("to host once: exit code %d: %s", code, errs)
	}
	short := i.ID().Short()
	line := func() string {
		for _, l := range strings.Split(p.ok("invite", "list", "castle"), "\n") {
			if strings.HasPrefix(l, short) {
				return l
			}
		}
		return ""
	}
	if l := line(); !strings.Contains(l, "for 3 players until") || !strings.Contains(l, "Ada") {
		t.Errorf("listed as %q", l)
	}
	if out := p.ok("invite", "revoke", "castle", short); strings.Contains(out, "--share") {
		t.Errorf("of an invitation that nobody shares it says %q", out)
	}
	if l := line(); !strings.Contains(l, "revoked") {
		t.Errorf("after it was revoked listed as %q", l)
	}
	if out := p.ok("world", "hosts", "castle"); strings.Count(out, "\n") != 1 {
		t.Errorf("hosts of a world that was never open: %q", out)
	}
	if code, _, errs := p.run("world", "hosts", "castle", "remove", "c305427c"); code == 0 || !strings.Contains(errs, "c305427c") {
		t.Errorf("removing a host that there is none: exit code %d: %s", code, errs)
	}
	p.ok("world", "new", "park", "--difficulty", "1", "--hosting", "open")
	if code, _, errs := p.run("invite", "create", "park"); code != host.ExitUsage || !strings.Contains(errs, "any node") {
		t.Errorf("an invitation that nobody needs: exit code %d: %s", code, errs)
	}
}
