// Package attack is the attacker of the thesis' evaluation of the storage
// (Schuster 2013, 6.4.4), for simulations: nodes that one mind leads, who know
// everything there is to know and agree in no time.
//
//   - An attacker that an areacast reaches before it has begun to spread claims
//     to be responsible for the whole area, and does not pass it on.
//   - One that gets it in its place tampers with what no honest neighbour reports
//     too, for that would make the zone's result void (figure 5.6).
//   - Of what they can tamper with in the different zones they choose the
//     objects with most votes, T (figure 6.13); who has nothing of T spoils its
//     zone's result in another way.
//   - Questions for actions are answered "none", and actions that come by or are
//     to be stored are dropped.
//   - All requests for an entry of a routing table are answered (6.3.4).
//
// What has been tampered with, or lacks an action, spoils everything within d in
// the next step, the thesis' worst case: Taint puts that on top of a world's
// rules, so that it can be seen at the end.
package attack
