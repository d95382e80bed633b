package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newServeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Run the server",
		RunE:  func(*cobra.Command, []string) error { return errors.New("serve: not built yet") },
	}
}
