// Package campaign runs all experiments of the lab, `vplab run all`, also divided among
// machines (docs/lab.md).
//
// A campaign is a list of parts: one experiment each, with its settings. A part's
// results are in a folder of its name, which appears when they are complete, with
// record.json: commit, machine, seeds and settings. What is complete is not done again
// by the same program, so a campaign that was interrupted continues.
//
// With shards, each does a share of the simulated runs, by the digest of their names,
// and of the parts that cannot be divided. Merge collects what all of them have left
// and makes the tables, which are those of an undivided campaign, byte for byte.
package campaign
