import Foundation

/// One state of fetched results: objects in order, cut into sections. Never changes.
final class ResultsSnapshot {
    let objects: [AnyObject]
    let sectionNames: [String]
    /// Where each section begins, and at the end the number of objects.
    let sectionStarts: [Int]

    /// Cuts objects into sections wherever the name changes.
    ///
    /// Throws when the section key path leads nowhere.
    convenience init(_ objects: [AnyObject], namer: SectionNamer) throws {
        var builder = SectionBuilder(hasFixedSection: namer.hasFixedSection)
        if !namer.hasFixedSection {
            for object in objects { builder.append(try namer.name(of: object)) }
        } else {
            builder.append("", count: objects.count)
        }
        self.init(objects, sections: builder)
    }

    init(_ objects: [AnyObject], sections: SectionBuilder) {
        self.objects = objects
        sectionNames = sections.names
        sectionStarts = sections.starts + [objects.count]
    }

    /// A name that two sections have, which means that the objects are not sorted by section.
    var repeatedSectionName: String? {
        var seen: Set<String> = []
        return sectionNames.first { !seen.insert($0).inserted }
    }

    func range(ofSection section: Int) -> Range<Int> { sectionStarts[section]..<sectionStarts[section + 1] }

    /// The section of the object at an index, by binary search.
    func section(at index: Int) -> Int {
        var (low, high) = (0, sectionNames.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if sectionStarts[middle] <= index { low = middle } else { high = middle - 1 }
        }
        return low
    }

    func indexPath(at index: Int) -> IndexPath {
        let section = section(at: index)
        return IndexPath(item: index - sectionStarts[section], section: section)
    }

    func object(at indexPath: IndexPath) -> AnyObject? {
        guard indexPath.count == 2, sectionNames.indices.contains(indexPath.section) else { return nil }
        let range = range(ofSection: indexPath.section)
        let index = range.lowerBound + indexPath.item
        return indexPath.item >= 0 && index < range.upperBound ? objects[index] : nil
    }
}

/// Collects section boundaries while objects are gone through in order.
struct SectionBuilder {
    private(set) var names: [String] = []
    private(set) var starts: [Int] = []
    private var count = 0

    init(hasFixedSection: Bool) {
        if hasFixedSection {
            names = [""]
            starts = [0]
        }
    }

    /// Adds objects of a section: the last one, or a new one of that name.
    mutating func append(_ name: String, count added: Int = 1) {
        if names.last != name {
            names.append(name)
            starts.append(count)
        }
        count += added
    }
}
