package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/worldcheck"
)

func worldCheck(c *common) *cobra.Command {
	var asJSON, repair bool
	var as string
	cmd := &cobra.Command{
		Use:   "check NAME",
		Short: "Looks for damage in a world, and saves what is left",
		Long: `Reads and decodes every record of a world and verifies all checksums, without
changing anything. The exit code is 0 if nothing is damaged, otherwise 8.

With --repair what can be read is copied into a new world, NAME-repaired or the name
that --as gives; the damaged one stays as it is. The exit code is 0 then. Of a world
that several nodes host, parts that may lack something are left out: when the new
world is open the node fetches them from the others.`,
		Example: "  voxelpopuli world check home\n  voxelpopuli world check home --repair --as home2",
		Args:    exactly(1),
		RunE: withPacks(c, func(cmd *cobra.Command, f *worldfs.Folder, args []string) error {
			if as != "" && !repair {
				return fmt.Errorf("%w: --as is for --repair", host.ErrUsage)
			}
			if repair {
				return repairWorld(cmd, f, args[0], as, asJSON)
			}
			r, err := worldcheck.Check(f, args[0])
			if err != nil {
				return err
			}
			if err := printReport(cmd, &r, nil, asJSON); err != nil {
				return err
			}
			return r.Err()
		}),
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "copy what can be read into a new world")
	cmd.Flags().StringVar(&as, "as", "", "name of the new world (default NAME-repaired)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func repairWorld(cmd *cobra.Command, f *worldfs.Folder, name, as string, asJSON bool) error {
	r, made, err := worldcheck.Repair(f, name, as)
	if err != nil {
		return err
	}
	return printReport(cmd, &r, &made, asJSON)
}

// printReport prints what a check has found, and what a repair has made.
func printReport(cmd *cobra.Command, r *worldcheck.Report, made *worldcheck.Result, asJSON bool) error {
	out := cmd.OutOrStdout()
	if asJSON {
		return encodeJSON(out, struct {
			*worldcheck.Report
			Repaired *worldcheck.Result `json:"repaired,omitempty"`
		}{r, made})
	}
	if err := r.Print(out); err != nil || made == nil {
		return err
	}
	return made.Print(out, r.World)
}
