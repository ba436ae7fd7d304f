package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/evidence"
	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

func newEvidence() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "evidence",
		Short: "Explains what nodes have written down against each other",
		Long: `Explains what nodes of a verified world have written down against each other. Nodes
keep it in evidence.jsonl, in the world's folder.`,
		Example: "  voxelpopuli evidence check evidence.jsonl",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(evidenceCheck())
	return cmd
}

// maxExplained bounds how many lines of a kind are explained; the others are counted.
const maxExplained = 20

func evidenceCheck() *cobra.Command {
	var world string
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Verifies evidence and explains it",
		Long: `Verifies a file of evidence (evidence.jsonl in a world's folder) and explains it: which
node did what, where and when. It needs no network and no world. You need not trust the
file's sender, because the file contains all signatures. "voxelpopuli world info" shows the id of your
world; with --world what is about other worlds does not count.

The exit code is 0 if the file proves something, otherwise 1.`,
		Example: "  voxelpopuli evidence check evidence.jsonl",
		Args:    exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var only id.ID
			if world != "" {
				var err error
				if only, err = id.Parse(world); err != nil {
					return fmt.Errorf("%w: --world: %w", host.ErrUsage, err)
				}
			}
			return checkEvidence(cmd, args[0], only)
		},
	}
	cmd.Flags().StringVar(&world, "world", "", "id of the world that it must be about (default: any)")
	return cmd
}

// checkEvidence explains a file about a world, or about any if the id is zero.
func checkEvidence(cmd *cobra.Command, file string, only id.ID) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	out := cmd.OutOrStdout()
	proofs, others := 0, 0
	guilty := map[id.ID]bool{}
	err = evidence.Each(f, func(n int, line []byte) {
		s, err := evidence.Explain(line)
		if err == nil && only != (id.ID{}) && s.World != only {
			err = fmt.Errorf("%w: it is about the world %s", evidence.ErrNone, s.World)
		}
		if err == nil {
			guilty[s.By] = true
			if proofs++; proofs <= maxExplained {
				fmt.Fprintf(out, "Line %d is a proof, in the world %s.\n%s\n\n", n, s.World, s.Text)
			}
		} else if others++; others <= maxExplained {
			fmt.Fprintf(out, "Line %d proves nothing (%v).\n%s\n", n, err, s.Text)
		}
	})
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	fmt.Fprintf(out, "%s against %s, %s that %s nothing.\n", counted(proofs, "proof"), counted(len(guilty), "node"), counted(others, "line"), verb(others))
	if proofs == 0 {
		return fmt.Errorf("%w: %s", evidence.ErrNone, file)
	}
	return nil
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func verb(n int) string {
	if n == 1 {
		return "proves"
	}
	return "prove"
}
