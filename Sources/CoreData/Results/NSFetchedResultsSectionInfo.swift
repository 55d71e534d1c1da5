import Foundation

/// A section of fetched results.
public protocol NSFetchedResultsSectionInfo {
    /// The section's name; empty without a section key path.
    var name: String { get }
    /// The section's title in an index; see ``FetchedResultsControllerBase/sectionIndexTitle(forSectionName:)``.
    var indexTitle: String? { get }
    /// The number of objects.
    var numberOfObjects: Int { get }
    /// The objects. Each access copies the array.
    var objects: [Any]? { get }
}

/// A section of one state of the results. Immutable.
final class FetchedResultsSection: NSObject, NSFetchedResultsSectionInfo {
    let name: String
    private let results: ResultsSnapshot
    private let range: Range<Int>
    private weak var controller: FetchedResultsControllerBase?

    /// Creates a section.
    ///
    /// - Parameter isGone: Whether the section was deleted from the results: it has no objects then.
    init(_ results: ResultsSnapshot, index: Int, isGone: Bool = false, controller: FetchedResultsControllerBase) {
        name = results.sectionNames[index]
        self.results = results
        range = isGone ? 0..<0 : results.range(ofSection: index)
        self.controller = controller
        super.init()
    }

    var indexTitle: String? { controller?.sectionIndexTitle(forSectionName: name) }
    var numberOfObjects: Int { range.count }
    var objects: [Any]? { Array(results.objects[range]) }
}
