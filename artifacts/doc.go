// Package artifacts has the words of what outlives the job that made it.
//
// An [Artifact] is a kept result: of an analysis, of a projection, or what a client wants to keep.
// Its [Label] is what the client says of it. Small ones are stored as JSON in the artifact itself;
// larger ones are a [File], in pieces, written under the claim of the job, so that a file of an
// attempt that was given up is never seen. It says of which epoch of the graph it is, and an answer
// says whether the graph has changed since. One with an end is deleted by [TypeCleanup].
//
// A [Dataclip] is the input of a run that is too large for the data of its job. Data refers to it
// by its id ([DataclipReference]). What no job refers to is deleted after a week.
//
// Who may see an artifact is decided by package access, from [Artifact.Row].
package artifacts
