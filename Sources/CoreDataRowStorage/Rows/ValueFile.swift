import CoreDataStoreFiles
import Foundation

/// A value in a file beside its store, as rows in memory hold it: as the name of the file, which is read when the value is
/// accessed.
package struct ValueFile {
    fileprivate let record: UnsafeRawPointer

    package var name: String { String(decoding: nameBytes, as: UTF8.self) }

    package var folder: ValueFolder {
        Unmanaged<ValueFolder>.fromOpaque(
            (record - Self.folderOffset).loadUnaligned(as: UnsafeRawPointer.self)
        ).takeUnretainedValue()
    }

    /// The file's size in bytes; 0 if there is none.
    package var byteCount: Int { Int(StoreFiles.size(folder.url(of: name).path)) }

    /// Reads the value.
    ///
    /// - Throws: ``ValueFolder/Missing``.
    package func contents() throws -> Data { try folder.contents(of: name) }

    /// Returns true if the file holds these bytes; false if it cannot be read. Reads the whole file only if it has the same
    /// size and begins with the same bytes.
    package func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let path = folder.url(of: name).path
        guard StoreFiles.size(path) == Int64(bytes.count),
            let beginning = try? StoreFiles.contents(path, first: 4096), bytes.starts(with: beginning),
            let value = try? contents(), value.count == bytes.count
        else { return false }
        return value.withUnsafeBytes { value in
            value.isEmpty || memcmp(value.baseAddress!, bytes.baseAddress!, value.count) == 0
        }
    }

    /// Returns true if both are the same file, and thus the same value.
    package func isSame(as other: ValueFile) -> Bool {
        record == other.record || nameBytes.elementsEqual(other.nameBytes)
    }

    // MARK: In a slab

    /// The length of every name: that of a UUID's text.
    package static let nameBytes = 36
    // The name is preceded, from its end on, by the mark in place of a length, the previously added name, and the folder.
    private static let previousOffset = HeapRange.lengthBytes + 8
    private static let folderOffset = previousOffset + 8

    fileprivate init(_ record: UnsafeRawPointer) { self.record = record }

    fileprivate var nameBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: record, count: Self.nameBytes)
    }

    /// The name that was added to the slab before this one.
    fileprivate var previous: ValueFile? {
        (record - Self.previousOffset).loadUnaligned(as: UnsafeRawPointer?.self).map(ValueFile.init)
    }

    fileprivate init(
        _ name: UnsafeRawBufferPointer, _ folder: ValueFolder, after previous: ValueFile?, in slab: RowSlab
    ) {
        let size = Self.folderOffset + Self.nameBytes
        let record = UnsafeMutableRawPointer(mutating: slab.append(nil, count: size).start) + Self.folderOffset
        record.copyMemory(from: name.baseAddress!, byteCount: Self.nameBytes)
        (record - HeapRange.lengthBytes).storeBytes(of: HeapRange.fileMark, as: UInt32.self)
        (record - Self.previousOffset).storeBytes(of: previous?.record, as: UnsafeRawPointer?.self)
        (record - Self.folderOffset).storeBytes(
            of: UnsafeRawPointer(Unmanaged.passUnretained(folder).toOpaque()), as: UnsafeRawPointer.self)
        self.record = UnsafeRawPointer(record)
    }

    fileprivate var range: HeapRange { HeapRange(bits: UInt64(UInt(bitPattern: record))) }
}

extension HeapRange {
    /// The file that holds the value; nil if the bytes are the value.
    package var file: ValueFile? { isFile ? ValueFile(start) : nil }
}

extension RowSlab {
    /// Adds a value that is in a file.
    ///
    /// - Parameter name: a name of ``ValueFile/nameBytes`` bytes.
    package func append(fileNamed name: UnsafeRawBufferPointer, in folder: ValueFolder) -> HeapRange {
        precondition(name.count == ValueFile.nameBytes)
        let names = fileNames
        names.keep(folder)
        let file = ValueFile(name, folder, after: names.last, in: self)
        names.add(file)
        return file.range
    }

    func append(_ file: ValueFile) -> HeapRange { append(fileNamed: file.nameBytes, in: file.folder) }
}

extension SlabFileNames {
    /// The last name added.
    fileprivate var last: ValueFile? { lastRecord.map(ValueFile.init) }

    fileprivate func add(_ file: ValueFile) { add(file.record) }

    /// Calls `body` with each file name in `names`, except those in a folder. May be called while names are added.
    func forEach(among names: Set<String>, except folder: ValueFolder?, _ body: (String) -> Void) {
        var next = last
        while let file = next {
            let name = file.name
            if names.contains(name), file.folder !== folder { body(name) }
            next = file.previous
        }
    }
}
