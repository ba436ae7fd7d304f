package host

import (
	"encoding/json"
	"net/url"
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
	Operator   string   `json:"operator,omitempty"`   // the link by which the first operator enters
	Nodes      string   `json:"nodes,omitempty"`      // the address that other nodes join by
	Dir        string   `json:"dir"`
}

func (r *Runner) opened(h *Host) {
	m := h.World()
	o := Opened{
		World: m.Name, ID: m.ID.String(), Seed: m.Seed, URL: h.URL(), Friends: h.FriendURLs(),
		JoinCode: h.JoinCode(), Invitation: inviteText(h.Invitation()), Dir: h.Dir(),
	}
	if at := h.NodeAddr(); at.IsValid() {
		o.Nodes = at.String()
	}
	if code := h.OwnerCode(); code != "" && !r.Browser {
		base := o.URL
		if len(o.Friends) > 0 {
			base = o.Friends[0]
		}
		o.Operator = PageURL(base, code)
	}
	if r.JSON {
		_ = json.NewEncoder(r.Out).Encode(o) // a closed pipe is no reason to close the world
		return
	}
	r.sayOpened(h, &o)
	r.openBrowser(PageURL(o.URL, o.code()))
}

// code is what players enter with.
func (o *Opened) code() string {
	if o.JoinCode != "" {
		return o.JoinCode
	}
	return o.Invitation
}

func (r *Runner) sayOpened(h *Host, o *Opened) {
	r.say("%s is open (seed %s, kept in %s).\n", o.World, o.Seed, o.Dir)
	r.say("  You:         %s", PageURL(o.URL, o.code()))
	for _, f := range o.Friends {
		r.say("  Friends:     %s", PageURL(f, o.code()))
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

// PageURL is the page with the join code filled in; what stands behind # is not
// sent over the network.
func PageURL(base, code string) string {
	if code == "" {
		return base
	}
	return base + "#code=" + url.QueryEscape(code)
}
