// Package rules tests the dashboard and the rules of deploy/ with the engine of Prometheus, on
// what a real server shows. It is a module of its own: nothing else needs Prometheus.
package rules
