// Package sandbox runs tasks in child processes that may die: whatever a task makes of its
// child, the server does not notice. A child walls itself in before it hears of a task (see
// the package walls below), is alone with one task at a time, and is killed with all that it
// holds at the task's deadline. What is asked and answered is up to the two ends; it travels
// in the frames of the package frame.
package sandbox
