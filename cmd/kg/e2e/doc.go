// Package e2e has the tests that run the whole server: in this process, or as
// processes of their own that can be killed, paused and cut off. It has no code
// of its own.
package e2e
