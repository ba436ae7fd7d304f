package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/voxelpopuli/voxelpopuli/internal/core/closest"
)

// meantFlag asks whether the nearest flag was meant, if the error is about one
// that does not exist.
func meantFlag(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return closest.Question(unknown.GetSpecifiedName(), "--", names)
}

// meantCommand asks whether the nearest subcommand was meant.
func meantCommand(cmd *cobra.Command, args []string) string {
	if len(args) == 0 {
		return ""
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return closest.Question(args[0], cmd.CommandPath()+" ", names)
}
