package decision

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// Role is what a player may do in a world. Each has the permissions of those before it.
type Role uint8

// The roles. Who is an operator Operator statements say; of these, the owners are those
// whom the founder's node has made operators.
const (
	RoleVisitor Role = iota // changes nothing
	RolePlayer              // whoever comes in by an invitation to build
	RoleBuilder
	RoleModerator
	RoleOperator
	RoleOwner
)

var roleNames = []string{"visitor", "player", "builder", "moderator", "operator", "owner"}

// String is the role's name.
func (r Role) String() string { return roleNames[r] }

// Appointments are the names of the roles that Appoint gives.
var Appointments = roleNames[:RoleOperator]

// Permission names something that not everybody may do.
type Permission string

// The permissions.
const (
	MayClaim    Permission = "claim"    // own land
	MayEdit     Permission = "edit"     // change many blocks at once
	MayMute     Permission = "mute"     // and unmute
	MayJail     Permission = "jail"     // and free
	MayBan      Permission = "ban"      // players, not addresses
	MayKick     Permission = "kick"     //
	MayModerate Permission = "moderate" // read reports and the audit log
	MayOperate  Permission = "operate"  // everything else
)

// least is the first role that has a permission.
var least = map[Permission]Role{
	MayClaim: RolePlayer, MayEdit: RoleBuilder,
	MayMute: RoleModerator, MayJail: RoleModerator, MayBan: RoleModerator, MayKick: RoleModerator, MayModerate: RoleModerator,
	MayOperate: RoleOperator,
}

// May reports whether a role has a permission; everybody has the empty one.
func (r Role) May(p Permission) bool { return p == "" || r >= least[p] }

// Needs is the first role that has a permission.
func (p Permission) Needs() Role { return least[p] }

// issues are the topics that others than operators decide on.
var issues = map[Topic]Permission{Ban: MayBan, Mute: MayMute, Jail: MayJail, Trust: MayClaim, Land: MayClaim}

// RoleOf is a player's role.
func (l *Log) RoleOf(who id.ID) Role {
	switch rank, has := l.ranks[who]; {
	case has && rank <= 1:
		return RoleOwner
	case has:
		return RoleOperator
	}
	if r, has := l.roles[who]; has {
		return r
	}
	return RolePlayer
}

// Rights are what a player may do at a time.
type Rights struct {
	Role      Role
	Appointed bool // by an operator: then an invitation to visit does not count
	Jailed    bool
	Muted     bool
}

// Rights returns what a player may do.
func (l *Log) Rights(who id.ID, now time.Time) Rights {
	role := l.RoleOf(who)
	_, appointed := l.roles[who]
	return Rights{
		Role: role, Appointed: appointed || role >= RoleOperator,
		Jailed: l.Jailed(who, now) != nil, Muted: l.Muted(who, now) != nil,
	}
}

// Visits reports whether a player changes nothing of the world; invited says that it
// does not by its invitation.
func (r Rights) Visits(invited bool) bool {
	if r.Appointed {
		return r.Role == RoleVisitor
	}
	return invited
}

// foldRoles works out the roles, once who has a rank is known.
func (l *Log) foldRoles() {
	l.roles, l.moderated = map[id.ID]Role{}, map[id.ID]uint64{}
	newest := map[id.ID]*Statement{}
	for at, s := range l.latest {
		if s.Topic == Appoint && l.ofOperator(at.issuer, s) && s.newer(newest[s.Subject]) {
			newest[s.Subject] = s
		}
	}
	for who, s := range newest {
		l.roles[who] = Role(slices.Index(roleNames, s.Text))
		if s.Keep {
			l.moderated[who] = s.Seq
		}
	}
}

// ofOperator reports whether somebody says something as an operator, or has said it when
// it was one.
func (l *Log) ofOperator(issuer id.ID, s *Statement) bool {
	_, has := l.ranks[issuer]
	return has || s.Topic != Operator && s.Seq <= l.kept[issuer]
}

// byRole reports whether somebody's role permits a statement, or did when it was made.
func (l *Log) byRole(issuer id.ID, s *Statement) bool {
	if s.Topic == Time {
		return s.IsDawn() && l.RoleOf(issuer) >= RolePlayer && !l.nightsLast(s)
	}
	needs, ok := issues[s.Topic]
	if !ok || s.Topic == Land && s.Subject != issuer {
		return false
	}
	return l.RoleOf(issuer).May(needs) || needs.Needs() == RoleModerator && s.Seq <= l.moderated[issuer]
}
