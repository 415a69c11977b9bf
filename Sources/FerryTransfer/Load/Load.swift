import FerryHTTP

/// One request of an app, carried through redirects, passwords and trust up to its answer.
package enum Load {}
