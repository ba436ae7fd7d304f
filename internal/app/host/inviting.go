package host

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"rsc.io/qr"

	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// inviter is what the owner sees of invitations in the game, and does with them.
type inviter struct {
	host    reached
	peers   *peers       // nil: this is the world's only node
	changed func() error // is called after the founder's list was changed
}

// reached is who others reach (Host).
type reached interface {
	Reach() string
	Link(text string) string
	friendLinks(invitation string) []string
	invitationText() string
	invitedAt() []netip.AddrPort
}

// Inviter is for the owner's page.
func (h *Host) Inviter() gateway.Inviter { return &inviter{h, h.peers, h.papers.loadAccess} }

// shownInvitations bounds those that are shown, and maxNote what is noted of one.
const (
	shownInvitations = 32
	maxNote          = 40
	maxDays          = 3650
)

// Invites implements gateway.Inviter: the newest first.
func (v *inviter) Invites() (*gateway.Invites, error) {
	out := &gateway.Invites{Reach: v.host.Reach(), May: v.invites() != nil, List: []gateway.Invitation{}}
	if !out.May {
		if links := v.linksOf(v.host.invitationText()); len(links) > 0 {
			out.List = append(out.List, gateway.Invitation{Permits: v.peers.invitation.Permits.String(), State: "valid", Links: links})
		}
		return out, nil
	}
	all, err := v.invites().List()
	if err != nil {
		return nil, err
	}
	slices.Reverse(all)
	for _, m := range all[:min(len(all), shownInvitations)] {
		shown := gateway.Invitation{ID: m.ID().String(), Permits: m.Permits.String(), Note: m.Note, Created: m.Created, State: m.State(time.Now())}
		if m.Usable(time.Now()) {
			shown.Links = v.linksOf(m.At(v.host.invitedAt()).Text())
		}
		out.List = append(out.List, shown)
	}
	return out, nil
}

// invites are the founder's; nil: this is not the founder's node, or nobody needs one.
func (v *inviter) invites() *Invites {
	if v.peers == nil || !v.peers.access.Invited() {
		return nil
	}
	return v.peers.invites
}

// linksOf are the links by which a friend plays with an invitation, the one that works
// from anywhere first.
func (v *inviter) linksOf(text string) (out []gateway.Link) {
	links := v.host.friendLinks(text)
	if link := v.host.Link(text); link != "" {
		links = append([]string{link}, links...)
	}
	for _, url := range links {
		out = append(out, gateway.Link{URL: url, QR: qrPath(url)})
	}
	return out
}

// offered is what the owner can permit, each with what stands before it.
var offered = map[string]invitation.Permissions{
	"visit": invitation.Visit, "build": invitation.Build, "host": invitation.Build | invitation.Host,
}

// CreateInvitation implements gateway.Inviter.
func (v *inviter) CreateInvitation(t gateway.Terms) error {
	if v.invites() == nil {
		return ErrNotFounder
	}
	note := wire.CleanText(t.Note)
	if len(note) > maxNote || t.Days < 0 || t.Days > maxDays {
		return fmt.Errorf("%w: a note has at most %d bytes, and an invitation is valid for at most %d days", ErrUsage, maxNote, maxDays)
	}
	permits, ok := offered[t.May]
	if !ok {
		return fmt.Errorf("%w: an invitation is to visit, build or host, not to %q", ErrUsage, t.May)
	}
	terms := invitation.Terms{Permits: permits, Uses: t.Uses}
	if permits&invitation.Host != 0 {
		terms.Uses = 0
	}
	if t.Days > 0 {
		terms.Until = time.Now().AddDate(0, 0, t.Days).Unix()
	}
	_, err := v.invites().Create(terms, note)
	return err
}

// RevokeInvitation implements gateway.Inviter.
func (v *inviter) RevokeInvitation(id string) error {
	if v.invites() == nil {
		return ErrNotFounder
	}
	if _, err := v.invites().Revoke(id, false); err != nil {
		return err
	}
	return v.changed()
}

// qrPath draws a link; nil: it is too long.
func qrPath(url string) *gateway.QR {
	code, err := qr.Encode(url, qr.L)
	if err != nil {
		return nil
	}
	var b strings.Builder
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				fmt.Fprintf(&b, "M%d %dh1v1h-1z", x, y)
			}
		}
	}
	return &gateway.QR{Size: code.Size, Path: b.String()}
}

// qrText draws a link for a terminal, two rows in a line, light on dark; empty: it is
// too long.
func qrText(url string) string {
	code, err := qr.Encode(url, qr.L)
	if err != nil {
		return ""
	}
	const quiet = 2 // modules around it
	light := func(x, y int) bool { return x < 0 || y < 0 || x >= code.Size || y >= code.Size || !code.Black(x, y) }
	var b strings.Builder
	for y := -quiet; y < code.Size+quiet; y += 2 {
		b.WriteString("  ")
		for x := -quiet; x < code.Size+quiet; x++ {
			b.WriteString(halves[light(x, y)][light(x, y+1)])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// halves are the characters for two modules, by whether the upper and the lower are light.
var halves = map[bool]map[bool]string{true: {true: "█", false: "▀"}, false: {true: "▄", false: " "}}

// Usable reports whether an invitation lets anybody in.
func (m *Made) Usable(now time.Time) bool {
	return !m.Revoked && (m.Until == 0 || now.Unix() < m.Until)
}

// State says whether an invitation can be used.
func (m *Made) State(now time.Time) string {
	end := time.Unix(m.Until, 0)
	valid := "valid"
	if m.Uses > 0 {
		valid += fmt.Sprintf(" for %d players", m.Uses)
	}
	switch {
	case m.Revoked:
		return "revoked"
	case m.Until == 0:
		return valid
	case !m.Usable(now):
		return "ended " + end.Format(time.DateOnly)
	}
	return valid + " until " + end.Format(time.DateTime)
}
