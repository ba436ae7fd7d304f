package group

// removalClaims are the members that say that the group continues without this
// node. One alone may lie, so the replica stops when most of the voters that it
// knows say so. Voters are counted by node: a node may have another number in the
// group by now. If too few of them are left, the directory names the hosts of the
// shard.
type removalClaims struct {
	component
	disk   *diskWriter
	outbox *outbox

	by map[uint64]bool
}

func (c *removalClaims) reset() { c.by = nil }

// add counts a claim; nil is no member.
func (c *removalClaims) add(by *Member) {
	if by == nil || by.Learner {
		return
	}
	if c.by == nil {
		c.by = map[uint64]bool{}
	}
	c.by[by.ID] = true
	claims := 0
	for _, m := range c.st.Members {
		if !m.Learner && c.by[m.ID] {
			claims++
		}
	}
	if claims > c.st.voters()/2 {
		c.st.remove()
		c.disk.writeState()
	}
}

// askOthers asks the voters that have not said so: they answer a member that was removed
// that it was, whatever it sends.
func (c *removalClaims) askOthers() {
	for m := range c.st.others() {
		if !m.Learner && !c.by[m.ID] {
			c.outbox.sendKind(KindCatchUp, m.ID)
		}
	}
}
