import Foundation

/// One section of fetched results.
public protocol NSFetchedResultsSectionInfo {
    /// The section's name; empty where there is no section key path.
    var name: String { get }
    /// The title in an index; see `NSFetchedResultsController.sectionIndexTitle(forSectionName:)`.
    var indexTitle: String? { get }
    /// The number of objects.
    var numberOfObjects: Int { get }
    /// The objects. Costs a copy of the section.
    var objects: [Any]? { get }
}

/// A section of one state of the results; it does not change when they do.
final class FetchedResultsSection: NSObject, NSFetchedResultsSectionInfo {
    let name: String
    private let results: ResultsSnapshot
    private let range: Range<Int>
    private weak var controller: FetchedResultsControllerBase?

    /// - Parameter isGone: Whether the results have the section no longer: it has no objects then.
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
