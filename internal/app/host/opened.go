package host

import (
	"cmp"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
)

// Opened is the line of JSON that says that a world is open.
type Opened struct {
	World      string   `json:"world"`
	ID         string   `json:"id"`
	Seed       string   `json:"seed"`
	URL        string   `json:"url"`
	Friends    []string `json:"friends"`
	JoinCode   string   `json:"join_code,omitempty"`
	Invitation string   `json:"invitation,omitempty"` // what players and nodes join by
	Link       string   `json:"link,omitempty"`       // for browsers anywhere
	At         []string `json:"at,omitempty"`         // where browsers reach the node by UDP
	Operator   string   `json:"operator,omitempty"`   // the link by which the first operator enters
	Nodes      string   `json:"nodes,omitempty"`      // the address that other nodes join by
	Dir        string   `json:"dir"`
}

func (r *Runner) opened(h *Host) {
	m := h.World()
	o := Opened{
		World: m.Name, ID: m.ID.String(), Seed: m.Seed, URL: h.URL(), Friends: h.FriendURLs(),
		JoinCode: h.JoinCode(), Invitation: h.invitationText(), Dir: h.Dir(),
	}
	if at := h.NodeAddr(); at.IsValid() {
		o.Nodes = at.String()
	}
	for _, at := range h.BrowsersAt() {
		o.At = append(o.At, at.String())
	}
	o.Link = h.Link(o.Invitation)
	if code := h.OwnerCode(); code != "" && !r.Browser {
		o.Operator = PageURL(cmp.Or(first(o.Friends), o.URL), code, "")
	}
	if r.JSON {
		_ = json.NewEncoder(r.Out).Encode(o) // a closed pipe is no reason to close the world
		return
	}
	r.sayOpened(h, &o)
	r.openBrowser(o.URL, h.local)
}

// friendLinks are the pages of this node for players elsewhere, with what they enter
// with: the invitation, which is good at the world's other nodes as well, or, if that is
// empty, the join code of this one.
func (h *Host) friendLinks(invitation string) []string {
	var out []string
	for _, page := range h.FriendURLs() {
		out = append(out, PageURL(page, cmp.Or(invitation, h.JoinCode()), ""))
	}
	return out
}

// invitationText is what a person passes on so that others can join by it; empty:
// this node has no invitation to pass on.
func (h *Host) invitationText() string {
	if i := h.Invitation(); i != nil {
		return i.Text()
	}
	return ""
}

// sharing is what the owner reads in the status; nil: only this machine can reach
// the world.
func (h *Host) sharing() *gateway.Sharing {
	text := h.invitationText()
	s := gateway.Sharing{Pages: h.friendLinks(text), Invitation: text}
	if len(s.Pages) == 0 && s.Invitation == "" {
		return nil
	}
	return &s
}

func (r *Runner) sayOpened(h *Host, o *Opened) {
	r.say("%s is open (seed %s, kept in %s).\n", o.World, o.Seed, o.Dir)
	r.say("  You:         %s", r.ownPage(h))
	friends := h.friendLinks(o.Invitation)
	for _, link := range friends {
		r.say("  Friends:     %s", link)
	}
	if o.Link != "" {
		r.say("  Anywhere:    %s", o.Link)
	}
	if r.Share {
		r.say("  %s", h.Reach())
		r.sayQR(cmp.Or(o.Link, first(friends)))
	}
	if o.JoinCode != "" {
		r.say("  Code:        %s", o.JoinCode)
	}
	switch players, nodes := h.Listens(); {
	case o.Invitation != "" && o.Nodes != "":
		r.say("  Host it too: voxelpopuli play --join %s", o.Invitation)
	case nodes && o.Nodes != "" && !h.peers.access.Invited():
		r.say("  Host it too: voxelpopuli play --join %s", o.Nodes)
	case !players && !nodes:
		r.say("  Only this machine can reach it. --share lets friends in, as players and as hosts.")
	case !players:
		r.say("  Other machines host parts of this world and reach this one. Players enter only here (--share lets friends in).")
	}
	if o.Operator != "" {
		r.say("  Operator:    %s\n               (makes the first who enters by it operator, within an hour, if the world has none)", o.Operator)
	}
	r.reportHosting(h)
	r.say("\nCtrl-C saves everything and ends.")
}

// sayQR draws a link where a person sees it.
func (r *Runner) sayQR(link string) {
	if link != "" && r.onTerminal() {
		r.say("\n%s", qrText(link))
	}
}

// onTerminal reports whether a person reads what is printed.
func (r *Runner) onTerminal() bool {
	f, ok := r.Out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func first(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// ownPage is the owner's page as it is printed: with the secret where only the
// owner reads it, in a terminal, and without it where it would go into a log.
func (r *Runner) ownPage(h *Host) string {
	if r.onTerminal() {
		return h.LocalURL()
	}
	return h.URL() + " (as the owner: add #local= and what " + filepath.Join(h.cfg.Data, "keys", "local.secret") + " says)"
}

// PageURL is the page with the join code and the proof of who is local filled in;
// what stands behind # is not sent over the network.
func PageURL(base, code, local string) string {
	behind := url.Values{}
	if code != "" {
		behind.Set("code", code)
	}
	if local != "" {
		behind.Set("local", local)
	}
	if len(behind) == 0 {
		return base
	}
	return base + "#" + behind.Encode()
}
