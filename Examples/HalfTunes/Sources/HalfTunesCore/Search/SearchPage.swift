/// What the search view shows below the entry.
package enum SearchPage: Hashable {
    /// Nothing was searched for yet.
    case welcome
    case results([Track])
    /// There are no songs for this term.
    case nothing(term: String)
    case offline
    /// The search failed, for the reason in the text.
    case failed(String)
}
