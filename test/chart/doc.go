// Package chart renders the chart of deploy/helm with Helm's own library, and decodes what
// comes out into the types of Kubernetes. It is a module of its own: nothing else needs these.
package chart
