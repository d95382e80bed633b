// Package cli has the commands of kg that talk to a server, and shows its answers. They
// write to the outputs of their App, and fail with the exit codes of package exit.
package cli
