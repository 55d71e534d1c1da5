import Foundation

/// A program or library that is loaded into the process.
///
/// Read from the kernel's list of mappings. `Runtime` has a list too, but reads the beginning of every mapped file for it: if
/// another thread unmaps a file meanwhile, as SQLite does with the index of a write-ahead log, that stops the process.
package struct LoadedImage: Equatable {
    package let path: String
    package let base: UInt
    package let end: UInt

    package init(path: String, base: UInt, end: UInt) {
        self.path = path
        self.base = base
        self.end = end
    }

    /// Returns the images of this process, in ascending order of address; empty if the kernel does not list them.
    package static func all() -> [LoadedImage] {
        // A read of this file returns a page at most, and only `FileHandle` continues reading.
        guard let file = FileHandle(forReadingAtPath: "/proc/self/maps"), let data = try? file.readToEnd() else {
            return []
        }
        return all(in: String(decoding: data, as: UTF8.self))
    }

    /// Parses lines in the format of `proc_pid_maps(5)`: range, permissions, offset, device, inode, path.
    ///
    /// An image is a file with an executable mapping; it starts at the mapping of its first byte.
    package static func all(in mappings: String) -> [LoadedImage] {
        var images: [LoadedImage] = []
        var first: (path: Substring, address: UInt)?
        for mapping in mappings.split(separator: "\n") {
            let fields = mapping.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard fields.count == 6 else { continue }
            let path = fields[5].drop { $0 == " " }
            let range = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard path.hasPrefix("/"), range.count == 2, range[0] < range[1] else { continue }
            if UInt(fields[2], radix: 16) == 0 { first = (path, range[0]) }
            guard fields[1].contains("x") else { continue }
            let base = first.map { $0.path == path ? $0.address : range[0] } ?? range[0]
            images.append(LoadedImage(path: String(path), base: base, end: range[1]))
        }
        return images
    }
}
